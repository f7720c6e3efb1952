import os, sys, threading, time, varlink  # python3 -m venv venv && venv/bin/pip install varlink

core = varlink.Client("unix:" + os.environ["XDG_RUNTIME_DIR"] + "/pushtotalk/core")

def talk(seconds):
    me = {"kind": "application", "identifier": f"talk.py {os.getpid()}", "name": "talk.py"}
    with core.open("org.pushtotalk.Channel") as channel:  # The transmission ends with this connection.
        try:
            channel.BeginTransmitting(source="userRequest", origin=me)
            time.sleep(seconds)
            channel.EndTransmitting(origin=me)
        except varlink.VarlinkError as error:
            print(error.parameters().get("reason", error))

with core.open("org.pushtotalk.Channel") as channel:
    for update in channel.Subscribe(_more=True):
        if update.get("status"):  # Only the first reply has it; each later one has an event.
            threading.Thread(target=talk, args=[3]).start()
            continue
        event = update["event"]
        if event["kind"] == "participantChanged":
            # A name comes from a stranger: repr escapes what a terminal would obey.
            print(repr(event["participant"]["name"]) if event.get("participant") else "nobody", "talks")
        elif event["kind"] in ("transmissionBegan", "transmissionEnded"):
            print(event["kind"], event.get("cause") or repr(event["transmission"]["origin"]["name"]))
