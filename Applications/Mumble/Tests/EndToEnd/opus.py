"""libopus, for what a peer says and hears: 48 kHz, mono, packets of any of its lengths."""
import array
import ctypes
import math

library = ctypes.CDLL("libopus.so.0")
library.opus_encoder_create.restype = ctypes.c_void_p
library.opus_decoder_create.restype = ctypes.c_void_p
library.opus_encode.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int32]
library.opus_decode.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int, ctypes.c_int]


class Encoder:
    """Encodes a sine of so many Hz."""

    def __init__(self, frequency, says_again=False, amplitude=16000):
        """says_again: Whether each packet has what the one before said."""
        self.amplitude = amplitude
        self.encoder = library.opus_encoder_create(48000, 1, 2048, None)
        # OPUS_SET_BITRATE, OPUS_SET_INBAND_FEC, OPUS_SET_PACKET_LOSS_PERC
        for request, value in [(4002, 32000), (4012, says_again), (4014, 10)]:
            library.opus_encoder_ctl(ctypes.c_void_p(self.encoder), request, ctypes.c_int32(value))
        self.frequency = frequency
        self.time = 0

    def packet(self, count=960, loud=None):
        """loud: A frequency in place of the usual one, at the full amplitude."""
        frequency, amplitude = (loud, 16000) if loud else (self.frequency, self.amplitude)
        samples = array.array("h", (
            int(amplitude * math.sin(2 * math.pi * frequency * (self.time + i) / 48000)) for i in range(count)
        ))
        self.time += count
        result = ctypes.create_string_buffer(1000)
        size = library.opus_encode(self.encoder, samples.buffer_info()[0], count, result, 1000)
        assert size > 0, size
        return result.raw[:size]


def says_again(packet):
    """Whether a packet of one frame of 20 ms has what the one before said (opus_packet_has_lbrr of libopus 1.5)."""
    is_voice, is_one = packet[0] < 128, packet[0] & 3 == 0
    return is_voice and is_one and packet[1] >> 6 & 1 == 1


class Decoder:
    def __init__(self):
        self.decoder = library.opus_decoder_create(48000, 1, None)

    def samples(self, packet):
        samples = array.array("h", bytes(2 * 5760))
        count = library.opus_decode(self.decoder, packet, len(packet), samples.buffer_info()[0], 5760, 0)
        assert count > 0, f"no Opus packet: {count}"
        return samples[:count]


def strength(samples, frequency):
    """The amplitude of one frequency, by the algorithm of Goertzel."""
    if not samples:
        return 0
    factor = 2 * math.cos(2 * math.pi * frequency / 48000)
    before = last = 0.0
    for sample in samples:
        before, last = last, sample + factor * last - before
    return 2 * math.sqrt(max(0, before * before + last * last - factor * before * last)) / len(samples)
