#!/usr/bin/env python3
"""Writes the packets of MumbleCoreTests/PacketCipherTests.swift, with another implementation than the tested one.

It is written with bytes and lists from the definition of OCB2 without a header, and uses the AES of the PyPI package
`cryptography`. It first checks itself with the vectors of https://datatracker.ietf.org/doc/html/draft-krovetz-ocb-00.
Mumble's frame around it: the lowest byte of the nonce, three bytes of the tag.
"""
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def aes(key, block):
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)


def exclusive_or(*blocks):
    result = [0] * 16
    for block in blocks:
        result = [a ^ b for a, b in zip(result, block)]
    return bytes(result)


def times_two(block):
    shifted = []
    carry = 0
    for byte in reversed(block):
        shifted.append((byte << 1 | carry) & 255)
        carry = byte >> 7
    shifted.reverse()
    shifted[15] ^= 0x87 * carry
    return bytes(shifted)


def ocb2(key, nonce, text):
    pieces = [text[i:i + 16] for i in range(0, len(text), 16)] or [b""]
    offset = aes(key, nonce)
    checksum = bytes(16)
    result = b""
    for piece in pieces[:-1]:
        offset = times_two(offset)
        result += exclusive_or(offset, aes(key, exclusive_or(offset, piece)))
        checksum = exclusive_or(checksum, piece)
    last = pieces[-1]
    offset = times_two(offset)
    pad = aes(key, exclusive_or(offset, (len(last) * 8).to_bytes(16, "big")))
    result += bytes(a ^ b for a, b in zip(last, pad))
    checksum = exclusive_or(checksum, last + pad[len(last):])
    return result, aes(key, exclusive_or(offset, times_two(offset), checksum))


def packet(key, nonce, text):
    result, tag = ocb2(key, nonce, text)
    return nonce[:1] + tag[:3] + result


published = {
    0: ("", "bf3108130773ad5ec70ec69e7875a7b0"),
    8: ("c636b3a868f429bb", "a45f5fdea5c088d1d7c8be37cabc8c5c"),
    16: ("52e48f5d19fe2d9869f0c4a4b3d2be57", "f7ee49ae7aa5b5e6645db6b3966136f9"),
    40: (
        "f75d6bc8b4dc8d66b836a2b08b32a6369f1cd3c5228d79fd6c267f5f6aa7b231c7dfb9d59951ae9c",
        "9db0cdf880f73e3e10d4eb3217766688",
    ),
}
key = bytes(range(16))
for length, (result, tag) in published.items():
    assert ocb2(key, key, bytes(range(length))) == (bytes.fromhex(result), bytes.fromhex(tag)), length

if __name__ == "__main__":
    nonce = 0xF0F1F2F3F4F5F6F7F8F9FAFBFCFDFDFE
    for length in [0, 1, 15, 16, 17, 32, 33, 100]:
        nonce += 1
        text = bytes((7 * i + length) % 256 for i in range(length))
        print(f'({length}, "{packet(key, nonce.to_bytes(16, "little"), text).hex()}"),')
