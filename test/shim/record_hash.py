# SPDX-License-Identifier: BSD-3-Clause
"""Hashes of a record, computed again from the bytes that the program saw: record_hash.py RECORD BYTES.

Prints a line for each hash of communicator 0 that differs, or that only one side has, and at the end how many were
compared. The hash is written here from its description in shim/core/record_hash.h."""
import glob
import os
import sys

MASK = (1 << 64) - 1


def step(lane, word):
    x = (lane ^ word) * 0x9E3779B97F4A7C15 & MASK
    return x ^ x >> 32


def hash_of(data):
    lanes = [0, 1, 2, 3]
    for i in range(0, len(data), 8):
        word = int.from_bytes(data[i:i + 8].ljust(8, b"\0"), "little")
        lanes[i // 8 % 4] = step(lanes[i // 8 % 4], word)
    all_lanes = step(0, len(data))
    for lane in lanes:
        all_lanes = step(all_lanes, lane)
    x = (all_lanes ^ all_lanes >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return "%016x" % (x ^ x >> 31)


record, folder = sys.argv[1:]
recorded, seen = {}, {}
for name in glob.glob(record + "/rank-*.txt"):
    rank = int(os.path.basename(name)[5:10])
    for line in open(name):
        word = line.split()
        if word[:2] == ["call", "0"]:
            for what, value in (("in", word[8]), ("out", word[9])):
                if value != "-":
                    recorded[rank, int(word[2]), what] = value
for name in glob.glob(folder + "/*"):
    rank, number, what = os.path.basename(name).split(".")
    seen[int(rank), int(number), what] = hash_of(open(name, "rb").read())
for key in sorted(set(recorded) | set(seen)):
    if recorded.get(key) != seen.get(key):
        print(*key, recorded.get(key), seen.get(key))
print(len(recorded), "hashes")
