# SPDX-License-Identifier: BSD-3-Clause
"""Exact sums on one process. Nothing is rounded but the result, once, to nearest even."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_double, c_void_p
from typing import Any, Optional

import numpy as np

from . import _library
from ._arrays import as_array, parts, pieces, result_type, round_to_half, work_type

_PACKED = 8 + 8 * 67


class _Exact(ctypes.Structure):
    """summand_exact of summand/exact.h."""

    _fields_ = [("flags", ctypes.c_uint32), ("low", ctypes.c_uint16), ("high", ctypes.c_uint16), ("limb", ctypes.c_uint64 * 67)]


def _real(x: Any, name: str) -> np.ndarray:
    array = as_array(x, name)
    if array.dtype.kind == "c":
        raise TypeError(f"{name} is complex: give its real and imaginary parts to accumulators of their own")
    return array


class Accumulator:
    """The exact sum of real numbers and products that are added over time. Copy, compare and pickle it; merge others.

    >>> a = Accumulator([1e16, 1.0])
    >>> b = Accumulator([-1e16])
    >>> a += b
    >>> float(a)
    1.0
    """

    __slots__ = ("_acc",)

    def __init__(self, x: Any = ()) -> None:
        self._acc = _Exact()
        _library.local().summand_exact_init(byref(self._acc))
        self.add(x)

    def _add(self, kind: str, *arrays: np.ndarray) -> None:
        for piece in pieces(*arrays):
            single = "_f32" if piece[0].dtype == np.float32 else ""
            function = getattr(_library.local(), f"summand_exact_{kind}{single}")
            function(byref(self._acc), piece[0].size, *(a.ctypes.data for a in piece))

    def add(self, x: Any) -> "Accumulator":
        """Adds all elements of x."""
        for part in parts(_real(x, "x")):
            self._add("add", part)
        return self

    def add_products(self, x: Any, y: Any) -> "Accumulator":
        """Adds x[i] * y[i] for all i, each product exact. x and y have one shape."""
        a, b = _real(x, "x"), _real(y, "y")
        if a.shape != b.shape:
            raise ValueError(f"x has the shape {a.shape}, and y {b.shape}")
        for p in parts(a):
            for q in parts(b):
                wide = np.result_type(work_type(p), work_type(q))
                if work_type(p) != work_type(q):
                    p, q = p.astype(wide), q.astype(wide)
                self._add("add_products", p, q)
        return self

    def merge(self, other: "Accumulator") -> "Accumulator":
        """Adds the value of another accumulator."""
        _library.local().summand_exact_merge(byref(self._acc), byref(other._acc))
        return self

    __iadd__ = merge

    def __add__(self, other: "Accumulator") -> "Accumulator":
        return self.copy().merge(other)

    def __neg__(self) -> "Accumulator":
        negative = self.copy()
        _library.local().summand_exact_negate(byref(negative._acc))
        return negative

    def __sub__(self, other: "Accumulator") -> "Accumulator":
        return self + -other

    def __float__(self) -> float:
        return _library.local().summand_exact_round(byref(self._acc))

    @property
    def hi_lo(self) -> tuple[float, float]:
        """The value as hi + lo: hi is float(self), lo the rest, rounded."""
        hi, lo = c_double(), c_double()
        _library.local().summand_exact_round2(byref(self._acc), byref(hi), byref(lo))
        return hi.value, lo.value

    def round(self, dtype: Any = np.float64) -> Any:
        """The value as a scalar of float16, float32 or float64, rounded once."""
        kind = np.dtype(dtype).char
        if kind == "d":
            return np.float64(float(self))
        if kind == "f":
            return np.float32(_library.local().summand_exact_round_f32(byref(self._acc)))
        if kind == "e":
            return round_to_half(*self.hi_lo)
        raise TypeError(f"dtype is {np.dtype(dtype)}; allowed are float16, float32 and float64")

    def sqrt(self) -> float:
        """The square root of the value, correctly rounded: of a sum of squares that may overflow a double, too."""
        return _library.local().summand_exact_sqrt(byref(self._acc))

    def copy(self) -> "Accumulator":
        other = Accumulator()
        ctypes.memmove(byref(other._acc), byref(self._acc), ctypes.sizeof(_Exact))
        return other

    __copy__ = copy

    def to_bytes(self) -> bytes:
        """The value in a compact form, the same on every machine."""
        room = ctypes.create_string_buffer(_PACKED)
        length = _library.local().summand_exact_pack(byref(self._acc), room)
        return room.raw[:length]

    @classmethod
    def from_bytes(cls, data: bytes) -> "Accumulator":
        """Reads what to_bytes wrote."""
        acc = cls()
        if not data or _library.local().summand_exact_unpack(byref(acc._acc), data, len(data)) != len(data):
            raise ValueError(f"{len(data)} bytes that are no accumulator")
        return acc

    def __reduce__(self) -> Any:
        return Accumulator.from_bytes, (self.to_bytes(),)

    def __eq__(self, other: object) -> bool:
        return self.to_bytes() == other.to_bytes() if isinstance(other, Accumulator) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"summand.Accumulator, {float(self)!r}"


def _product(x: np.ndarray, y: np.ndarray) -> Accumulator:
    return Accumulator().add_products(x, y)


def _complex(re: Accumulator, im: Accumulator, dtype: np.dtype) -> Any:
    real = np.float32 if dtype.char == "F" else np.float64
    return dtype.type(complex(re.round(real), im.round(real)))


def _give(value: Any, out: Optional[np.ndarray], dtype: np.dtype, shape: tuple[int, ...] = ()) -> Any:
    if out is None:
        return value
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape != shape:
        has = f"the type {out.dtype} and the shape {out.shape}" if isinstance(out, np.ndarray) else f"the type {type(out)}"
        raise TypeError(f"out has {has}; the result is an array of {dtype} with the shape {shape}")
    out[...] = value
    return out


def fsum(x: Any, axis: Optional[int] = None, out: Optional[np.ndarray] = None) -> Any:
    """The exact sum of the elements, rounded once, as math.fsum; of an array of any shape, or along one axis.

    The result has the type of the elements (float64 for integers); complex parts are sums of their own.

    >>> fsum([1e16, 1.0, -1e16])
    1.0
    >>> fsum([[0.1, 1e100], [0.2, 1.0], [0.3, -1e100]], axis=0).tolist()
    [0.6, 1.0]
    """
    array = as_array(x)
    if array.dtype == np.float64 and array.flags.c_contiguous and axis is None and out is None:
        return _library.local().summand_exact_sum(array.size, array.ctypes.data)
    dtype = result_type(array)
    if axis is not None:
        rows = np.moveaxis(array, axis, 0)
        sums = ColumnSums(int(np.prod(rows.shape[1:], dtype=np.int64)), dtype)
        sums.add(rows.reshape(rows.shape[0], sums.count) if rows.flags.c_contiguous or rows.ndim == 1 else rows)
        return _give(sums.round().reshape(rows.shape[1:]), out, dtype, rows.shape[1:])
    if dtype.kind == "c":
        return _give(_complex(Accumulator(array.real), Accumulator(array.imag), dtype), out, dtype)
    value = Accumulator(array).round(dtype)
    return _give(float(value) if dtype == np.float64 and out is None else value, out, dtype)


def dot(x: Any, y: Any, *, conjugate: bool = False) -> Any:
    """The exact sum of x[i] * y[i], rounded once; with `conjugate` of conj(x[i]) * y[i], as numpy.vdot.

    >>> dot([1e200, 1.0, -1e200], [1e200, 1.0, 1e200])
    1.0
    """
    a, b = as_array(x, "x"), as_array(y, "y")
    dtype = result_type(a, b)
    if a.shape != b.shape:
        raise ValueError(f"x has the shape {a.shape}, and y {b.shape}")
    if dtype.kind != "c":
        value = _product(a, b).round(dtype)
        return float(value) if dtype == np.float64 else value
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    sign = -1 if conjugate else 1
    re = _product(a.real, b.real).merge(_product(-sign * a.imag, b.imag))
    im = _product(a.real, b.imag).merge(_product(sign * a.imag, b.real))
    return _complex(re, im, dtype)


def norm(x: Any) -> Any:
    """The Euclidean norm, correctly rounded, without overflow or underflow on the way.

    >>> norm([3 * 2.0**600, 4 * 2.0**600]) == 5 * 2.0**600
    True
    """
    array = as_array(x)
    dtype = result_type(array)
    squares = _product(array.real, array.real)
    if array.dtype.kind == "c":
        squares.merge(_product(array.imag, array.imag))
    if dtype.char in "fF":
        return np.float32(_library.local().summand_exact_sqrt_f32(byref(squares._acc)))
    if dtype.char == "e":
        raise TypeError("x has elements of type float16; allowed are float32, float64, complex and integers")
    return squares.sqrt()


class ColumnSums:
    """Exact sums of many columns: of rows, or of single terms by index. Memory grows with the range of the numbers.

    >>> s = ColumnSums(3)
    >>> s.add([[1.0, 1e100, 0.5], [2.0, 1.0, 0.5]]).add_at([1, 1], [-1e100, 2.0]).round().tolist()
    [3.0, 3.0, 1.0]
    """

    def __init__(self, count: int, dtype: Any = np.float64) -> None:
        self.count, self.dtype = int(count), np.dtype(dtype)
        if self.dtype.char not in "efdFD":
            raise TypeError(f"dtype is {self.dtype}; allowed are float16, float32, float64, complex64 and complex128")
        self._wide = 2 if self.dtype.kind == "c" else 1
        self._free = _library.local().summand_exact_vector_free
        self._vector = c_void_p(_library.local().summand_exact_vector_new(self.count * self._wide))
        if not self._vector:
            raise MemoryError(f"ColumnSums of {count} elements")

    def __del__(self) -> None:
        if getattr(self, "_vector", None):
            self._free(byref(self._vector))

    def _check(self, status: int) -> "ColumnSums":
        if status == 1:
            raise MemoryError("ColumnSums: out of memory; the sums have no value until they are cleared")
        if status == 2:
            raise IndexError(f"ColumnSums: an index is not below {self.count}, or the counts differ")
        return self

    def _reals(self, array: np.ndarray, name: str) -> list[np.ndarray]:
        """Contiguous arrays that the library takes, whose sum is the given one."""
        if array.dtype.kind == "c" and self._wide == 1:
            raise TypeError(f"{name} is complex, and the sums are of {self.dtype}")
        wide = np.complex64 if array.dtype.char in "efF" else np.complex128
        same = array.dtype.char in "efd" and array.dtype.isnative
        result = []
        for part in parts(array):
            kind = wide if self._wide == 2 else part.dtype if same else work_type(part)
            flat = np.ascontiguousarray(part, dtype=kind)
            result.append(flat.view(flat.real.dtype) if self._wide == 2 else flat)
        return result

    def add(self, rows: Any) -> "ColumnSums":
        """Adds one row of `count` elements, or an array of rows."""
        array = as_array(rows, "rows")
        if array.ndim < 2:
            array = array.reshape(1, -1)
        if array.size // max(array.shape[0], 1) != self.count and array.shape[0]:
            raise ValueError(f"rows have {array.size // array.shape[0]} elements, and the sums {self.count}")
        step = max(1, (1 << 20) // max(self.count, 1))
        whole = array.flags.c_contiguous and array.dtype.char in ("FD" if self._wide == 2 else "efd")
        step = max(array.shape[0], 1) if whole and array.dtype.isnative else step
        for first in range(0, array.shape[0], step):
            for part in self._reals(array[first : first + step], "rows"):
                single = {"f": "_f32", "e": "_f16"}.get(part.dtype.char, "")
                function = getattr(_library.local(), "summand_exact_vector_add" + single)
                n = self.count * self._wide
                self._check(function(self._vector, part.shape[0], n, part.ctypes.data))
        return self

    def add_at(self, index: Any, x: Any) -> "ColumnSums":
        """Adds x[i] to sum index[i]; an index may come several times."""
        where, array = np.asarray(index), as_array(x)
        if where.dtype.kind not in "iu" and where.size:
            raise TypeError(f"index has elements of type {where.dtype}; allowed are integers")
        if where.shape != array.shape:
            raise ValueError(f"index has the shape {where.shape}, and x {array.shape}")
        if where.size and (int(where.min()) < 0 or int(where.max()) >= self.count):
            raise IndexError(f"index has {where.min()} to {where.max()}; allowed are 0 to {self.count - 1}")
        places = np.ascontiguousarray(where, dtype=np.uintp).reshape(-1)
        if self._wide == 2:
            places = (2 * places[:, None] + np.arange(2, dtype=np.uintp)).reshape(-1)
        for part in self._reals(array.reshape(-1), "x"):
            part = part.astype(np.float32) if part.dtype.char == "e" else part
            function = getattr(_library.local(), "summand_exact_vector_add_at" + ("_f32" if part.dtype.char == "f" else ""))
            self._check(function(self._vector, places.size, places.ctypes.data, part.ctypes.data))
        return self

    def merge(self, other: "ColumnSums") -> "ColumnSums":
        """Adds the sums of another one, element by element."""
        return self._check(_library.local().summand_exact_vector_merge(self._vector, other._vector))

    __iadd__ = merge

    def clear(self) -> None:
        """Empties the sums, also after a MemoryError."""
        _library.local().summand_exact_vector_clear(self._vector)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the sums have now."""
        return _library.local().summand_exact_vector_bytes(self._vector)

    def round(self) -> np.ndarray:
        """The sums as an array of their type, each rounded once."""
        result = np.empty(self.count, self.dtype)
        single = {"f": "_f32", "F": "_f32", "e": "_f16"}.get(self.dtype.char, "")
        self._check(getattr(_library.local(), "summand_exact_vector_round" + single)(self._vector, result.ctypes.data))
        return result
