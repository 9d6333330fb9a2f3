# SPDX-License-Identifier: BSD-3-Clause
# Reads a model as docs/network.md describes its file, computes the outputs for samples by the definition in double
# precision, and compares them with what `summand train --predict` wrote. Nothing here comes from Summand.
#     network.py MODEL SAMPLES.npy SAID.npy [DIVISOR]
import ast
import math
import struct
import sys


def checksum(data):
    mask = 2**64 - 1
    s = len(data)
    for i in range(0, len(data), 8):
        z = s ^ int.from_bytes(data[i : i + 8].ljust(8, b"\0"), "little")
        z = (z + 0x9E3779B97F4A7C15) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        s = z ^ (z >> 31)
    return s


def read_model(path):
    data = open(path, "rb").read()
    assert data[:8] == b"SUMMANDN", "no model"
    assert checksum(data[:-8]) == int.from_bytes(data[-8:], "little"), "another checksum"
    version, layers = struct.unpack_from("<II", data, 8)
    assert version == 1
    names = [data[at : at + 16].rstrip(b"\0").decode() for at in (16, 32, 48)]
    widths = struct.unpack_from("<%dQ" % (layers + 1), data, 64)
    at = 64 + 8 * (layers + 1)
    (kind,) = struct.unpack_from("<I", data, at)
    at += 4
    weights = []
    for rows, columns in zip(widths, widths[1:]):
        count = (rows + 1) * columns
        flat = struct.unpack_from("<%df" % count, data, at)
        weights.append([flat[i * columns : (i + 1) * columns] for i in range(rows + 1)])
        at += 4 * count
    assert kind == 1 or at == len(data) - 8, "another length"
    return names, weights


def read_array(path):
    data = open(path, "rb").read()
    assert data[:6] == b"\x93NUMPY"
    (length,) = struct.unpack_from("<H", data, 8)
    head = ast.literal_eval(data[10 : 10 + length].decode())
    assert not head["fortran_order"]
    rows, columns = head["shape"]
    code = {"<f4": "f", "<f8": "d", "|u1": "B", "<i2": "h"}[head["descr"]]
    flat = struct.unpack_from("<%d%s" % (rows * columns, code), data, 10 + length)
    return [flat[i * columns : (i + 1) * columns] for i in range(rows)]


apply = {
    "sigmoid": lambda z: 1 / (1 + math.exp(-z)),
    "tanh": math.tanh,
    "relu": lambda z: max(z, 0.0),
    "linear": lambda z: z,
}


def outputs(names, weights, x):
    hidden, last, loss = names
    for number, w in enumerate(weights, 1):
        x = [w[-1][j] + math.fsum(v * w[i][j] for i, v in enumerate(x)) for j in range(len(w[0]))]
        if number < len(weights) or loss != "cross-entropy":
            x = [apply[hidden if number < len(weights) else last](z) for z in x]
    if loss == "cross-entropy":
        e = [math.exp(z - max(x)) for z in x]
        x = [v / math.fsum(e) for v in e]
    return x


names, weights = read_model(sys.argv[1])
samples, said = read_array(sys.argv[2]), read_array(sys.argv[3])
divisor = float(sys.argv[4]) if len(sys.argv) > 4 else 1
assert len(samples) == len(said), "another number of rows"
off = 0
for x, row in zip(samples, said):
    y = outputs(names, weights, [v / divisor for v in x])
    assert len(row) == 1 + len(y), "another number of columns"
    off = max([off] + [abs(a - b) / (1 + abs(a)) for a, b in zip(y, row[1:])])
    assert row[1 + int(row[0])] == max(row[1:]), "a class without the largest output"
assert off < 1e-5, "off by %g" % off
print("network.py: %d samples, off by at most %.2g" % (len(said), off))
