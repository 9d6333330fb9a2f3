# SPDX-License-Identifier: BSD-3-Clause
"""Sums of outer products, block-cyclic matrices and their products, over an mpi4py communicator. All calls are collective."""
from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_longlong, c_void_p
from typing import Any, Callable, Optional, Sequence

import numpy as np
from mpi4py import MPI

from ._library import Options
from .mpi import _buffer, _call, _datatype, _floats, _gets, _handle, _number, _options, _root, _run

NORMS = ("frobenius", "max", "one", "infinity")
FORMATS = ("npy", "npy_c", "raw_columns", "raw_rows")
_HEAD = [("algorithm", c_char_p), ("promise", c_int), ("timeout", c_double)]


def _struct(*fields: tuple[str, Any]) -> Any:
    return type("Struct", (ctypes.Structure,), {"_fields_": list(fields)})


_Shape = _struct(
    *((name, c_longlong) for name in ("rows", "columns", "block_rows", "block_columns")),
    ("grid_rows", c_int), ("grid_columns", c_int), ("group", POINTER(c_int)),
)
_Outer = _struct(
    ("rows", c_longlong), ("columns", c_longlong), ("a", c_void_p), ("lead_a", c_longlong), ("b", c_void_p), ("lead_b", c_longlong),
    ("g", c_void_p), ("lead_g", c_longlong), ("symmetric", c_int), ("pairs", c_longlong), *((f"_{i}", c_void_p) for i in range(3)),
)
_OuterOptions = _struct(
    *_HEAD, *((name, c_int) for name in ("result", "grid_rows", "grid_columns", "replicated")), ("inside", Options),
    ("room", c_longlong), *((f"_{i}", c_void_p) for i in range(3)),
)
_GemmOptions = _struct(
    *_HEAD, ("no_help", c_int), ("panel", c_longlong), ("memory", c_longlong), ("_0", c_void_p), ("_1", c_void_p),
    ("activation", c_int), ("_2", c_void_p), ("_3", c_void_p),
)


def outer(a: Any, b: Any, comm: MPI.Intracomm, out: Optional[np.ndarray] = None, *, alpha: float = 1, beta: float = 0,
          root: Optional[int] = None, plan: bool = False, **options: Any) -> Any:
    """alpha G + beta out, where G is the sum of a[k]^T b[k] over the rows k of all ranks; a has N columns, b has M.

    Each element is a chain over the rows in rank order: the same bits on any number of ranks. Without a root every rank
    gets the N x M matrix; else the others get None. The rows of a and b may differ between ranks, and may be none.
    """
    x, y = (_buffer(a, "a"), _buffer(b, "b")) if plan else (_floats(a, "a"), _floats(b, "b"))
    if x.ndim != 2 or y.ndim != 2 or len(x) != len(y) or x.dtype != y.dtype:
        raise ValueError(f"a is {x.dtype} {x.shape}, b {y.dtype} {y.shape}; allowed are as many rows of one type")
    shape = (x.shape[1], y.shape[1])
    g = np.zeros(shape, x.dtype) if out is None else _buffer(out, "out", True)
    if g.shape != shape or g.dtype != x.dtype:
        raise TypeError(f"out has the shape {g.shape} of {g.dtype}; the result has {shape} of {x.dtype}")
    matrix = _Outer(rows=shape[0], columns=shape[1], a=x.ctypes.data, b=y.ctypes.data, g=g.ctypes.data)
    arguments = (len(x), 1, alpha, byref(matrix), beta, _datatype(x.dtype), _root(root), _handle(comm))
    result = g if _gets(comm, root) else None
    return _call(plan, "summand_outer%s", result, (x, y, g), *arguments, _options(options, _OuterOptions))


class Matrix:
    """A block-cyclic matrix of float64 or float32 over a grid of ranks. Free it with `with`, or by free().

    `blocks`: rows and columns of a block; `grid`: rows and columns of processes; `group`: their ranks, row by row.
    """

    def __init__(self, rows: int, columns: int, comm: MPI.Intracomm, *, dtype: Any = np.float64, blocks: tuple[int, int] = (64, 64),
                 grid: Optional[tuple[int, int]] = None, group: Optional[Sequence[int]] = None) -> None:
        self.shape, self.dtype, self._matrix = (rows, columns), np.dtype(dtype), c_void_p()
        grid = grid or (1, comm.size if group is None else len(group))
        ranks = (c_int * len(group))(*group) if group is not None else None
        if ranks is not None and len(ranks) != grid[0] * grid[1]:
            raise ValueError(f"group has {len(ranks)} ranks, and the grid {grid[0]} x {grid[1]}")
        shape = _Shape(rows, columns, *blocks, *grid, ranks)
        _run("summand_matrix_create", byref(shape), _datatype(self.dtype), None, 0, _handle(comm), byref(self._matrix))

    @property
    def local(self) -> np.ndarray:
        """This rank's part, to be read and written: local[i, j] is element rows[i], columns[j] of the matrix."""
        data, lead, rows, columns = c_void_p(), c_longlong(), c_longlong(), c_longlong()
        _run("summand_matrix_local", self._matrix, byref(data), byref(lead), byref(rows), byref(columns))
        if not data:
            return np.empty((rows.value, columns.value), self.dtype)
        size = lead.value * columns.value * self.dtype.itemsize
        array = np.frombuffer((ctypes.c_char * size).from_address(data.value or 0), self.dtype)
        return array.reshape(columns.value, lead.value).T[: rows.value]

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows and the columns of the matrix that this rank's part has."""
        row, column, found = c_longlong(), c_longlong(), []
        for axis, length in enumerate(self.local.shape):
            found.append(np.empty(length, np.int64))
            for i in range(length if self.local.size else 0):
                _run("summand_matrix_index", self._matrix, *((i, 0), (0, i))[axis], byref(row), byref(column))
                found[axis][i] = (row, column)[axis].value
        return found[0], found[1]

    def fill(self, value: Callable[[np.ndarray, np.ndarray], Any]) -> "Matrix":
        """Sets the elements to value(rows, columns), of arrays of indices that broadcast. Local."""
        rows, columns = self.places()
        self.local[...] = value(rows[:, None], columns[None, :])
        return self

    def _move(self, name: str, row: int, column: int, block: np.ndarray) -> None:
        _run(name, self._matrix, row, column, *block.shape, block.ctypes.data, max(1, block.shape[0]))

    def get(self, row: int = 0, column: int = 0, rows: Optional[int] = None, columns: Optional[int] = None) -> np.ndarray:
        """A rectangle from any ranks, by default all of the matrix. Each rank asks for its own."""
        size = (self.shape[0] - row if rows is None else rows, self.shape[1] - column if columns is None else columns)
        block = np.empty(size, self.dtype, order="F")
        self._move("summand_matrix_get", row, column, block)
        return block

    def set(self, block: Any, row: int = 0, column: int = 0) -> None:
        """Writes a rectangle to the ranks that hold it. Each rank gives its own, which may have no elements."""
        self._move("summand_matrix_set", row, column, np.asfortranarray(block, self.dtype))

    def copy_to(self, other: "Matrix", *, transpose: bool = False, plan: bool = False) -> Any:
        """Copies all elements to a matrix of another distribution, or transposes them. With plan=True a Plan of it."""
        name = "summand_matrix_transpose%s" if transpose else "summand_matrix_copy%s"
        return _call(plan, name, other, (self, other), self._matrix, other._matrix)

    def norm(self, kind: str = "frobenius") -> float:
        """A norm, correctly rounded: one of NORMS."""
        value = np.empty(1, self.dtype)
        _run("summand_matrix_norm", self._matrix, _number("kind", kind, NORMS), value.ctypes.data)
        return float(value[0])

    def read(self, path: str, format: str = "npy") -> None:
        """Reads all elements from a file of one of FORMATS."""
        _run("summand_matrix_read", self._matrix, str(path).encode(), _number("format", format, FORMATS))

    def write(self, path: str, format: str = "npy") -> None:
        """Writes all elements to a file of one of FORMATS."""
        _run("summand_matrix_write", self._matrix, str(path).encode(), _number("format", format, FORMATS))

    def free(self) -> None:
        """Frees the matrix; arrays that `local` gave must not be used any more."""
        _run("summand_matrix_free", byref(self._matrix))

    def __enter__(self) -> "Matrix":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.free()


def gemm(a: Matrix, b: Matrix, c: Matrix, *, alpha: float = 1, beta: float = 0, trans_a: bool = False, trans_b: bool = False,
         plan: bool = False, **options: Any) -> Any:
    """c = alpha op(a) op(b) + beta c, on any grids: the same bits on all of them. op transposes if trans_a, trans_b."""
    arguments = (trans_a, trans_b, alpha, a._matrix, b._matrix, beta, c._matrix, _options(options, _GemmOptions))
    return _call(plan, "summand_gemm%s", c, (a, b, c), *arguments)
