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

    def __init__(self, frequency):
        self.encoder = library.opus_encoder_create(48000, 1, 2048, None)
        self.frequency = frequency
        self.time = 0

    def packet(self, count=960):
        samples = array.array("h", (
            int(16000 * math.sin(2 * math.pi * self.frequency * (self.time + i) / 48000)) for i in range(count)
        ))
        self.time += count
        result = ctypes.create_string_buffer(1000)
        size = library.opus_encode(self.encoder, samples.buffer_info()[0], count, result, 1000)
        assert size > 0, size
        return result.raw[:size]


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
