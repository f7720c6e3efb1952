"""A Bluetooth headset: it plays (A2DP, SBC), has a microphone that hears a 440 Hz tone (HFP, CVSD over eSCO), and the
keys of a classic accessory.

What it adds to the commands of classic_accessory.py:

  sound             playing=yes|no microphone=open|closed calls=COUNT
                    whether music arrives, and how often its microphone was opened
"""
import array
import asyncio
import math

from bumble import a2dp, avdtp, hci, hfp

from classic_accessory import ClassicAccessory

HANDS_FREE_CHANNEL = 7
RATE, TONE = 8000, 440
# Whole periods of the tone, and whole packets.
SAMPLES = array.array("h", (round(8000 * math.sin(2 * math.pi * TONE * i / RATE)) for i in range(600)))
PACKET_BYTES = 240
PACKET_SECONDS = PACKET_BYTES / 2 / RATE

HANDS_FREE = hfp.HfConfiguration(
    supported_hf_features=[hfp.HfFeature.REMOTE_VOLUME_CONTROL],
    supported_hf_indicators=[],
    supported_audio_codecs=[hfp.AudioCodec.CVSD],
)


def sbc():
    information = a2dp.SbcMediaCodecInformation
    return avdtp.MediaCodecCapabilities(
        media_type=avdtp.AVDTP_AUDIO_MEDIA_TYPE,
        media_codec_type=a2dp.A2DP_SBC_CODEC_TYPE,
        media_codec_information=information(
            sampling_frequency=information.SamplingFrequency.SF_44100 | information.SamplingFrequency.SF_48000,
            channel_mode=information.ChannelMode.STEREO | information.ChannelMode.JOINT_STEREO,
            block_length=information.BlockLength.BL_16,
            subbands=information.Subbands.S_8,
            allocation_method=information.AllocationMethod.LOUDNESS,
            minimum_bitpool_value=2,
            maximum_bitpool_value=53,
        ),
    )


class BluetoothHeadset(ClassicAccessory):
    def __init__(self, name, file, controller):
        super().__init__(name, file, controller)
        self.is_playing = False
        self.voice = None
        self.calls = 0
        # asyncio itself keeps no reference to a running task.
        self.hands_free = self.accepting = None
        self.device.sdp_service_records |= {
            0x00010004: a2dp.make_audio_sink_service_sdp_records(0x00010004),
            0x00010005: hfp.make_hf_sdp_records(0x00010005, HANDS_FREE_CHANNEL, HANDS_FREE),
        }
        self.players = avdtp.Listener.for_device(self.device)
        self.players.on("connection", self.player_connected)
        self.rfcomm.listen(self.hands_free_opened, HANDS_FREE_CHANNEL)
        self.device.on("sco_request", self.accept_voice)
        self.device.on("sco_connection", self.voice_opened)

    # ---- Music

    def player_connected(self, protocol):
        sink = protocol.add_sink(sbc())
        sink.on("start", lambda: self.playing(True))
        for event in ("stop", "suspend", "close", "abort", "rtp_channel_close"):
            sink.on(event, lambda: self.playing(False))

    def playing(self, is_playing):
        self.is_playing = is_playing
        self.log("music begins" if is_playing else "music ends")

    # ---- The microphone

    def hands_free_opened(self, port):
        self.log("hands-free profile open")
        self.hands_free = asyncio.ensure_future(hfp.HfProtocol(port, HANDS_FREE).run())

    def accept_voice(self, connection, link_type):
        parameters = hfp.ESCO_PARAMETERS[hfp.DefaultCodecParameters.ESCO_CVSD_S3].asdict()
        accept = hci.HCI_Enhanced_Accept_Synchronous_Connection_Request_Command(
            bd_addr=connection.peer_address, **parameters
        )
        self.accepting = asyncio.ensure_future(self.device.host.send_async_command(accept))

    def voice_opened(self, link):
        self.calls += 1
        self.log("microphone opened")
        voice = self.voice = asyncio.ensure_future(self.speak(link))

        def closed(_reason):
            voice.cancel()
            if self.voice is voice:
                self.voice = None
            self.log("microphone closed")

        link.on("disconnection", closed)

    async def speak(self, link):
        """The tone, at the rate of the clock: a machine that stood still gets what it has missed."""
        samples, loop, sent = SAMPLES.tobytes(), asyncio.get_running_loop(), 0
        begin = loop.time()
        while True:
            start = sent * PACKET_BYTES % len(samples)
            self.device.host.send_sco_sdu(link.handle, samples[start : start + PACKET_BYTES])
            sent += 1
            await asyncio.sleep(max(0, begin + sent * PACKET_SECONDS - loop.time()))

    def disconnected(self, reason):
        super().disconnected(reason)
        self.is_playing = False

    async def carry_out(self, words):
        if words != ["sound"]:
            return await super().carry_out(words)
        playing, microphone = "yes" if self.is_playing else "no", "open" if self.voice else "closed"
        return f"playing={playing} microphone={microphone} calls={self.calls}"
