-- The two ends of the loopback card must agree on the format, and PipeWire would rather have one
-- plane for each channel, which the player of the tone cannot give.
-- Never suspended: PipeWire may look at the card anew when its end closes, finds the other end in use
-- by the player, and drops the card.
table.insert(alsa_monitor.rules, {
  matches = { { { "node.name", "matches", "alsa_*.platform-snd_aloop.*" } } },
  apply_properties = {
    ["audio.format"] = "S16LE",
    ["audio.rate"] = 48000,
    ["audio.channels"] = 2,
    ["session.suspend-timeout-seconds"] = 0,
  },
})
