# SPDX-License-Identifier: BSD-3-Clause
"""The part that needs no MPI, against math.fsum and rational arithmetic. Usage: test_local.py [ARRAYS]"""
import copy
import doctest
import math
import pathlib
import pickle
import struct
import sys
import tempfile
import unittest
from fractions import Fraction

import numpy as np

import summand
import summand.exact

ARRAYS = int(sys.argv.pop()) if len(sys.argv) > 1 and sys.argv[-1].isdigit() else 1000
TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">f8", ">i8", ">f4"]
random = np.random.default_rng(1)


def numbers(dtype, shape):
    """Elements of mixed magnitude, whose exact sum cancels in part."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return random.integers(info.min, info.max, shape, dtype=kind.newbyteorder("="), endpoint=True).astype(dtype)
    digits = {2: (-10, 8), 4: (-60, 60), 8: (-500, 500)}[kind.itemsize]
    x = np.ldexp(random.standard_normal(shape), random.integers(*digits, shape)).astype(dtype)
    flat = x.reshape(-1)
    flat[: flat.size // 3] = -flat[::-1][: flat.size // 3]
    return random.permutation(flat).reshape(shape)


def exact(values):
    return sum((Fraction(v.item()) for v in np.asarray(values).reshape(-1)), Fraction(0))


def rounded(value, dtype):
    """A rational number, rounded once: the nearest of the neighbours of a double near it."""
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.kind in "biu" or dtype == np.float64:
        return np.float64(value.numerator / value.denominator)
    with np.errstate(over="ignore"):
        near = dtype.type(value.numerator / value.denominator)
    choice = [near, np.nextafter(near, dtype.type(np.inf)), np.nextafter(near, dtype.type(-np.inf))]
    distance = [abs(Fraction(float(c)) - value) for c in choice if np.isfinite(c)]
    best = [c for c, d in zip(choice, distance) if d == min(distance)]
    even = [c for c in best if not c.view({2: np.uint16, 4: np.uint32}[dtype.itemsize]) & 1]
    return (even or best)[0] if len(best) > 1 else best[0]


class Sums(unittest.TestCase):
    def same(self, got, wanted, what):
        self.assertEqual(np.asarray(got).tobytes(), np.asarray(wanted, np.asarray(got).dtype).tobytes(), what)

    def test_as_math_fsum(self):
        for i in range(ARRAYS):
            n = int(random.integers(0, 40))
            x = np.ldexp(random.standard_normal(n), random.integers(-1000, 1000, n))
            try:
                wanted = math.fsum(x)
            except OverflowError:  # of a partial sum of theirs
                continue
            self.same(summand.fsum(x), wanted, x)

    def test_types_shapes_strides(self):
        for dtype in TYPES:
            for shape in [(0,), (1,), (7,), (300,), (5, 60), (3, 4, 25)]:
                x = numbers(dtype, shape)
                wanted = rounded(exact(x), dtype)
                for view in [x, x[::-1], x.T, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2]]:
                    self.same(summand.fsum(view), wanted, (dtype, shape, view.strides))
                many = rounded(3000 * exact(x[:3]), dtype)
                self.same(summand.fsum(np.repeat(x[:3], 6000, axis=0)[::2]), many, (dtype, shape, "pieces"))

    def test_axis(self):
        for dtype in TYPES:
            for shape in [(6,), (0, 3), (3, 0), (5, 7), (2, 3, 4)]:
                x = numbers(dtype, shape)
                for array in (x, np.asfortranarray(x), x[::-1]):
                    for axis in range(-x.ndim, x.ndim):
                        got = summand.fsum(array, axis=axis)
                        wanted = np.empty(got.shape, got.dtype)
                        for at in np.ndindex(got.shape):
                            line = np.moveaxis(array, axis, 0)[(slice(None),) + at]
                            wanted[at] = rounded(exact(line), dtype)
                        self.same(got, wanted, (dtype, shape, axis))

    def test_complex(self):
        for dtype, real in (("c8", "f4"), ("c16", "f8")):
            x = (numbers(real, 50) + 1j * numbers(real, 50)).astype(dtype)
            total = summand.fsum(x[::2])
            self.same(total.real, rounded(exact(x[::2].real), real), dtype)
            self.same(total.imag, rounded(exact(x[::2].imag), real), dtype)
            self.same(summand.fsum(x.reshape(5, 10), axis=0)[3].imag, rounded(exact(x[3::10].imag), real), dtype)
            y = x[::-1]
            for conjugate in (False, True):
                a = np.conj(x) if conjugate else x
                pairs = [(Fraction(float(u)), Fraction(float(v))) for u, v in ((p.real, p.imag) for p in a)]
                other = [(Fraction(float(q.real)), Fraction(float(q.imag))) for q in y]
                re = sum(p[0] * q[0] - p[1] * q[1] for p, q in zip(pairs, other))
                im = sum(p[0] * q[1] + p[1] * q[0] for p, q in zip(pairs, other))
                product = summand.dot(x, y, conjugate=conjugate)
                self.same(product.real, rounded(re, real), dtype)
                self.same(product.imag, rounded(im, real), dtype)

    def test_products(self):
        for first in ("i4", "i8", "u8", "f2", "f4", "f8"):
            for second in ("i8", "f4", "f8"):
                for step in (1, 2, -1):
                    x, y = numbers(first, 90)[::step], numbers(second, 90)[::step]
                    wanted = sum(Fraction(a.item()) * Fraction(b.item()) for a, b in zip(x, y))
                    got = summand.dot(x, y)
                    kind = np.result_type(*(np.float64 if a.dtype.kind in "iu" else a.dtype for a in (x, y)))
                    self.same(got, rounded(wanted, kind), (first, second, step))
        x = np.array([3.0, 4.0]) * 2.0**900
        self.same(summand.norm(x), 5 * 2.0**900, "norm")
        self.same(summand.norm(np.full(2, 2, "f4")), np.float32(math.sqrt(8)), "norm of floats")
        self.same(summand.norm([3 + 4j]), 5.0, "complex norm")

    def test_ties_of_halves(self):
        """A tie of halves that a tiny term breaks; a sum of halves is a double, so products need the rest."""
        for lo in (-1.0, 0.0, 1.0):
            x = np.array([1.0, 2.0**-11, lo * 2.0**-24], "f2")
            self.same(summand.fsum(x), rounded(exact(x), "f2"), lo)
            acc = summand.Accumulator([1 + 2.0**-11]).add([lo * 2.0**-300])
            self.same(acc.round("f2"), np.float16(1 + (2.0**-10 if lo > 0 else 0)), lo)

    def test_special(self):
        inf, nan = math.inf, math.nan
        for x, wanted in (([], 0.0), ([-0.0], -0.0), ([-0.0, 0.0], 0.0), ([inf, 1], inf), ([inf, -inf], nan), ([nan], nan)):
            self.same(summand.fsum(np.array(x, "f8")), np.float64(wanted), x)
        self.same(summand.fsum(np.array([1.5e308, 1.5e308, -1.5e308])), 1.5e308, "no overflow on the way")

    def test_iterables(self):
        self.same(summand.fsum(i * 0.1 for i in range(10)), math.fsum(i * 0.1 for i in range(10)), "generator")
        self.same(summand.fsum(2.5), 2.5, "scalar")
        self.same(summand.fsum([[1, 2], [3, 4]]), 10.0, "lists")

    def test_out(self):
        x = numbers("f8", (4, 5))
        out = np.empty(5)
        self.assertIs(summand.fsum(x, axis=0, out=out), out)
        self.same(out, summand.fsum(x, axis=0), "out")
        for wrong in (np.empty(4), np.empty(5, "f4"), [0.0] * 5):
            self.assertRaises(TypeError, summand.fsum, x, axis=0, out=wrong)

    def test_refused(self):
        for x in (["a"], [2**70], [None], np.zeros(1, "g"), np.zeros(1, "M8[s]"), {"a": 1}.keys()):
            with self.assertRaisesRegex(TypeError, "allowed are bool, integers"):
                summand.fsum(x)
        self.assertRaises(ValueError, summand.dot, [1.0, 2.0], [1.0])
        self.assertRaises(np.AxisError if hasattr(np, "AxisError") else np.exceptions.AxisError, summand.fsum, [1.0], axis=1)


class Accumulators(unittest.TestCase):
    def test_pieces_and_copies(self):
        x = numbers("f8", 1000)
        whole = summand.Accumulator(x)
        parts = [summand.Accumulator(part) for part in np.array_split(x, 7)]
        for move in (copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a)), summand.Accumulator.copy):
            total = summand.Accumulator()
            for part in reversed(parts):
                total += move(part)
            self.assertEqual(total, whole)
        self.assertEqual(float(whole - whole), 0.0)
        self.assertNotEqual(whole, summand.Accumulator(x[:-1]))
        hi, lo = whole.hi_lo
        self.assertEqual(hi, float(whole))
        self.assertEqual(lo, float(whole - summand.Accumulator([hi])))

    def test_damaged_bytes(self):
        good = summand.Accumulator([1.0, 2.0**-500]).to_bytes()
        for bad in (b"", good[:-1], good + b"\0", b"\xff" * len(good)):
            self.assertRaises(ValueError, summand.Accumulator.from_bytes, bad)

    def test_refused(self):
        self.assertRaises(TypeError, summand.Accumulator, [1j])
        self.assertRaises(TypeError, summand.Accumulator([1.0]).round, "i4")


class Columns(unittest.TestCase):
    def test_rows_and_terms(self):
        for dtype in ("f2", "f4", "f8", "c8", "c16"):
            real = {"c8": "f4", "c16": "f8"}.get(dtype, dtype)
            x = numbers(real, (90, 4)).astype(dtype)
            x = x + np.asarray(1j * numbers(real, (90, 4)), dtype) if dtype[0] == "c" else x
            a, b = summand.ColumnSums(4, dtype), summand.ColumnSums(4, dtype)
            a.add(x[:40]).add(np.asfortranarray(x[40:70])).add(x[70])
            b.add_at(np.tile(np.arange(4), 19), x[71:].reshape(-1))
            a += b
            self.assertEqual(a.round().tobytes(), summand.fsum(x, axis=0).tobytes())
            self.assertGreater(a.nbytes, 0)
            a.clear()
            self.assertEqual(a.round().tolist(), [0, 0, 0, 0])

    def test_refused(self):
        sums = summand.ColumnSums(3)
        self.assertRaises(ValueError, sums.add, [1.0, 2.0])
        self.assertRaises(TypeError, sums.add, [1j, 2j, 3j])
        for index in ([3], [-1]):
            self.assertRaises(IndexError, sums.add_at, index, [1.0])
        self.assertRaises(TypeError, sums.add_at, [0.5], [1.0])
        self.assertRaises(IndexError, sums.merge, summand.ColumnSums(4))
        self.assertEqual(sums.round().tolist(), [0, 0, 0])


class Networks(unittest.TestCase):
    def model(self, path):
        """A file as docs/network.md has it: 3 inputs, 4 hidden ones, 2 outputs; its weights."""
        weights = [numbers("f4", (4, 4)), numbers("f4", (5, 2))]
        weights = [np.sin(w * np.float32(1e-3), dtype="f4") for w in weights]
        data = b"SUMMANDN" + struct.pack("<II", 1, 2) + b"relu".ljust(16, b"\0") + b"linear".ljust(16, b"\0")
        data += b"squared".ljust(16, b"\0") + struct.pack("<QQQI", 3, 4, 2, 0) + b"".join(w.tobytes() for w in weights)
        s, bits = len(data), (1 << 64) - 1
        for (v,) in struct.iter_unpack("<Q", data + bytes(-len(data) % 8)):
            z = ((s ^ v) + 0x9E3779B97F4A7C15) & bits
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & bits
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB & bits
            s = z ^ (z >> 31)
        path.write_bytes(data + struct.pack("<Q", s))
        return weights

    def test_outputs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "net.model"
            first, last = self.model(path)
            network = summand.Network(path)
            self.assertEqual((network.inputs, network.outputs, network.has_probabilities), (3, 2, False))
            x = np.sin(np.arange(60, dtype="f4").reshape(20, 3))
            y, classes = network.run(x)
            wanted = np.maximum(x.astype("f8") @ first[:3] + first[3], 0) @ last[:4] + last[4]
            self.assertLess(abs(y - wanted).max(), 1e-5)
            self.assertEqual(classes.tolist(), y.argmax(axis=1).tolist())
            self.assertEqual(network.run(x[7:8])[0].tobytes(), y[7].tobytes(), "a batch changes bits")
            self.assertRaisesRegex(ValueError, "allowed are rows of 3", network.run, [[1.0]])
            path.write_bytes(path.read_bytes()[:-1] + b"x")
            self.assertRaisesRegex(ValueError, "net.model", summand.Network, path)


def load_tests(loader, tests, pattern):
    for module in (summand, summand.exact):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


if __name__ == "__main__":
    unittest.main()
