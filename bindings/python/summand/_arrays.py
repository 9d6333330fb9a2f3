# SPDX-License-Identifier: BSD-3-Clause
"""NumPy arrays as pieces that the library can read: contiguous, of double or single precision, exact."""
from __future__ import annotations

from typing import Any, Iterator

import numpy as np

PIECE = 1 << 16  # elements that are converted or made contiguous at a time
REAL = {"f": np.float32, "d": np.float64}


def as_array(x: Any, name: str = "x") -> np.ndarray:
    """An array of a type whose elements are sums of doubles."""
    array = np.asarray(x if hasattr(x, "__len__") or np.isscalar(x) or hasattr(x, "__array__") else list(x))
    if array.dtype.kind in "biu" or array.dtype.char in "efdFD":
        return array
    raise TypeError(
        f"{name} has elements of type {array.dtype}; allowed are bool, integers of up to 64 bits, float16, "
        "float32, float64, complex64 and complex128"
    )


def result_type(*arrays: np.ndarray) -> np.dtype:
    """The type of an exact result: that of the elements; float64 for integers, as math.fsum."""
    return np.result_type(*(np.float64 if a.dtype.kind in "biu" else a.dtype for a in arrays))


def work_type(array: np.ndarray) -> type:
    """float32 or float64, in which the elements, or the parts of them, are exact."""
    return np.float32 if array.dtype.char in "efF" else np.float64


def parts(array: np.ndarray) -> list[np.ndarray]:
    """Real arrays whose sum is the array exactly: integers of 64 bits do not fit into a double."""
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        low = array & array.dtype.type(0xFFFFFFFF)
        return [(array - low).astype(np.float64), low.astype(np.float64)]
    return [array]


def pieces(*arrays: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """Contiguous one-dimensional pieces of real arrays of one shape, in one order, as work_type of each."""
    if all(a.flags.c_contiguous and a.dtype.char in "fd" and a.dtype.isnative for a in arrays):
        yield tuple(a.reshape(-1) for a in arrays)
        return
    flags = ["external_loop", "buffered", "zerosize_ok"]
    types = [work_type(a) for a in arrays]
    iterator = np.nditer(arrays, flags, [["readonly", "contig"]] * len(arrays), types, "K", "safe", buffersize=PIECE)
    for piece in iterator:
        yield piece if len(arrays) > 1 else (piece,)


def round_to_half(hi: float, lo: float) -> np.float16:
    """hi + lo, rounded once: hi with a last bit of 1 where it is not exact, so that no tie is mistaken for one."""
    if lo != 0 and not np.float64(hi).view(np.int64) & 1:
        hi = float(np.nextafter(hi, np.inf if lo > 0 else -np.inf))
    with np.errstate(over="ignore", under="ignore"):
        return np.float16(hi)
