# SPDX-License-Identifier: BSD-3-Clause
"""Reductions of NumPy arrays across the ranks of an mpi4py communicator.

All calls are collective. `promise` says which bits a call keeps: "none", "same", "rank order", "canonical", "index" or
"exact" (summand/options.h); the default is that of the C call. Further options are the fields of summand_options:
algorithm, timeout, segment, radix, node_size, leaders, radix_between, check. An error raises summand.Error.
"""
from __future__ import annotations

from ctypes import byref, c_int, c_void_p
from typing import Any, Optional, Sequence

import numpy as np
from mpi4py import MPI

from . import _library
from ._arrays import as_array
from .exact import Accumulator, ColumnSums

ROOT_ALL = -1
CHECKED = ("default", "off", "detect", "correct")
PROMISES = ("default", "none", "same", "rank order", "canonical", "index", "exact")


class Error(RuntimeError):
    """An error of the library. `code`: what the C call returned; `error`: its SUMMAND_ERR number, or 0."""

    def __init__(self, call: str, code: int) -> None:
        library = _library.mpi(MPI)
        super().__init__(f"{call}: {library.summand_error_text(code).decode(errors='replace')}")
        self.code, self.error = code, library.summand_error_of(code)


def _handle(of: Any) -> Any:
    """The C handle of an object of mpi4py; `handle` is public from version 4 on."""
    value = of.handle if hasattr(of, "handle") else MPI._handleof(of)
    return _library.mpi(MPI).summand_handle(value)


_DATATYPES = {
    "f4": MPI.FLOAT,
    "f8": MPI.DOUBLE,
    "c8": MPI.C_FLOAT_COMPLEX,
    "c16": MPI.C_DOUBLE_COMPLEX,
    "b1": MPI.C_BOOL,
    **{f"{kind}{n}": getattr(MPI, f"{name}{8 * n}_T") for kind, name in (("i", "INT"), ("u", "UINT")) for n in (1, 2, 4, 8)},
}


def _datatype(dtype: np.dtype) -> Any:
    """The handle of the MPI's datatype: a predefined one, for which operators are defined."""
    found = _DATATYPES.get(dtype.str[1:]) if dtype.isnative else None
    if found is None:
        raise TypeError(f"elements are of type {dtype}; allowed are {', '.join(_DATATYPES)} of this machine's byte order")
    return _handle(found)


def _number(name: str, value: str, allowed: tuple[str, ...]) -> int:
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; allowed are {', '.join(allowed)}")
    return allowed.index(value)


def _options(options: dict[str, Any], kind: Any = _library.Options) -> Any:
    struct = kind()
    names = [name for name, _ in kind._fields_ if name[0] != "_" and name != "inside"]
    for name, value in options.items():
        if name not in names:
            raise TypeError(f"no option is called {name}; there are {', '.join(names)}")
        if name == "promise":
            value = _number(name, value, PROMISES)
        if name == "check":
            value = _number(name, value, CHECKED)
        setattr(struct, name, value.encode() if isinstance(value, str) else value)
    return byref(struct)


def _run(name: str, *arguments: Any) -> None:
    code = getattr(_library.mpi(MPI), name)(*arguments)
    if code != MPI.SUCCESS:
        raise Error(name, code)


def _root(root: Optional[int]) -> int:
    return ROOT_ALL if root is None else root


def _gets(comm: MPI.Intracomm, root: Optional[int]) -> bool:
    return root is None or comm.rank == root


# Sums of all elements of all ranks.


def _terms(x: np.ndarray) -> np.ndarray:
    """Doubles or floats with the same exact sum: of integers and halves, those of their exact sum on this rank."""
    if x.dtype.char in "fdFD":
        return np.ascontiguousarray(x, dtype=x.dtype.newbyteorder("="))
    rest, terms = Accumulator(x), []
    while float(rest) != 0 and np.isfinite(float(rest)):
        terms.append(float(rest))
        rest = rest - Accumulator(terms[-1:])
    if not terms or not np.isfinite(float(rest)):
        terms = [float(rest)] * bool(x.size)
    return np.array(terms, dtype=np.float64)


def _reduce_terms(name: str, comm: Any, root: Optional[int], options: dict[str, Any], *arrays: np.ndarray) -> Any:
    dtype = arrays[0].dtype
    result = np.empty((), dtype)
    addresses, n = [a.ctypes.data for a in (*arrays, result)], arrays[0].size
    _run(name, *addresses, n, _datatype(dtype), _root(root), _handle(comm), _options(options))
    return result[()] if _gets(comm, root) else None


def sum(x: Any, comm: MPI.Intracomm, root: Optional[int] = None, **options: Any) -> Any:
    """The sum of the elements of all ranks: exact, rounded once, the same bits on any number of ranks.

    With promise="index": the index tree over the elements in rank order. None on ranks that are not the root. Integers
    and halves are summed exactly to a float64.
    """
    array = as_array(x)
    if array.dtype.char not in "fdFD" and options.get("promise", "exact") not in ("exact", "default"):
        raise TypeError(f"x has elements of type {array.dtype}: only promise='exact' takes them")
    return _reduce_terms("summand_sum", comm, root, options, _terms(array))


def asum(x: Any, comm: MPI.Intracomm, root: Optional[int] = None, **options: Any) -> Any:
    """The sum of |x[i]| (complex: |re| + |im|) over all ranks, as sum."""
    return _reduce_terms("summand_asum", comm, root, options, _floats(x, "x"))


def norm(x: Any, comm: MPI.Intracomm, root: Optional[int] = None, **options: Any) -> Any:
    """The Euclidean norm over all ranks, correctly rounded, as sum."""
    return _reduce_terms("summand_nrm2", comm, root, options, _floats(x, "x"))


def dot(x: Any, y: Any, comm: MPI.Intracomm, root: Optional[int] = None, **options: Any) -> Any:
    """The sum of x[i] * y[i] over all ranks, of which none is conjugated, as sum."""
    a, b = _floats(x, "x"), _floats(y, "y")
    if a.shape != b.shape:
        raise ValueError(f"x has the shape {a.shape}, and y {b.shape}")
    dtype = np.result_type(a, b)
    return _reduce_terms("summand_dot", comm, root, options, a.astype(dtype, copy=False), b.astype(dtype, copy=False))


def _floats(x: Any, name: str) -> np.ndarray:
    array = as_array(x, name)
    if array.dtype.char not in "fdFD":
        raise TypeError(f"{name} has elements of type {array.dtype}; allowed are float32, float64 and complex")
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


# Vectors, as MPI has them.


class Plan:
    """A call that is made once and started often; buffers stay those of its making. Use it with `with`, or free it."""

    _alive: "set[Plan]" = set()  # the library may write into the buffers of a plan that nobody names any more

    def __init__(self, name: str, result: Any, keep: Sequence[Any], *arguments: Any) -> None:
        self.result, self._keep, self._plan = result, keep, c_void_p()
        _run(name, *arguments, byref(self._plan))
        self._alive.add(self)

    def start(self) -> "Plan":
        """Starts the plan: reads the elements as they are now."""
        _run("summand_plan_start", self._plan)
        return self

    def test(self) -> bool:
        """Progresses the plan. True if it is complete."""
        done = c_int()
        _run("summand_plan_test", self._plan, byref(done))
        return bool(done.value)

    def wait(self) -> Any:
        """Waits until the plan is complete, and returns its result."""
        _run("summand_plan_wait", self._plan)
        return self.result

    def __call__(self) -> Any:
        return self.start().wait()

    def free(self) -> None:
        """Frees the plan, which must not be active. Nothing else frees it."""
        _run("summand_plan_free", byref(self._plan))
        self._alive.discard(self)

    def __enter__(self) -> "Plan":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.free()


def _call(plan: bool, name: str, result: Any, keep: Sequence[Any], *arguments: Any) -> Any:
    if plan:
        return Plan(name.replace("%s", "_init"), result, keep, *arguments)
    _run(name.replace("%s", ""), *arguments)
    return result


def _buffer(array: Any, name: str, writes: bool = False) -> np.ndarray:
    if not isinstance(array, np.ndarray) or not array.flags.c_contiguous or (writes and not array.flags.writeable):
        raise TypeError(f"{name} is not a contiguous array{' that can be written' if writes else ''}")
    return array


def _vectors(x: Any, out: Any, shape: Any, plan: bool) -> tuple[np.ndarray, np.ndarray]:
    send = _buffer(x, "x") if plan else np.ascontiguousarray(x)
    recv = np.empty(send.shape if shape is None else shape, send.dtype) if out is None else _buffer(out, "out", True)
    size = send.size if shape is None else int(np.prod(shape))
    if recv.dtype != send.dtype or recv.size != size:
        raise TypeError(f"out has {recv.size} elements of {recv.dtype}; the result has {size} of {send.dtype}")
    return send, recv


def allreduce(x: Any, comm: MPI.Intracomm, op: MPI.Op = MPI.SUM, out: Optional[np.ndarray] = None, *, plan: bool = False,
              **options: Any) -> Any:
    """MPI_Allreduce: combines one array per rank, element by element. With plan=True a Plan of it."""
    send, recv = _vectors(x, out, None, plan)
    arguments = (send.ctypes.data, recv.ctypes.data, send.size, _datatype(send.dtype), _handle(op))
    return _call(plan, "summand_allreduce%s_c", recv, (send, recv, op), *arguments, _handle(comm), _options(options))


def scan(x: Any, comm: MPI.Intracomm, op: MPI.Op = MPI.SUM, out: Optional[np.ndarray] = None, *, plan: bool = False,
         **options: Any) -> Any:
    """MPI_Scan: rank r gets the combination of the arrays of ranks 0 to r. With plan=True a Plan of it."""
    send, recv = _vectors(x, out, None, plan)
    arguments = (send.ctypes.data, recv.ctypes.data, send.size, _datatype(send.dtype), _handle(op))
    return _call(plan, "summand_scan%s_c", recv, (send, recv, op), *arguments, _handle(comm), _options(options))


def exscan(x: Any, comm: MPI.Intracomm, op: MPI.Op = MPI.SUM, out: Optional[np.ndarray] = None, *, plan: bool = False,
           **options: Any) -> Any:
    """MPI_Exscan: the same of ranks 0 to r - 1. The result is None on rank 0, whose `out` stays as it is."""
    send, recv = _vectors(x, out, None, plan)
    arguments = (send.ctypes.data, recv.ctypes.data, send.size, _datatype(send.dtype), _handle(op))
    result = recv if comm.rank else None
    return _call(plan, "summand_exscan%s_c", result, (send, recv, op), *arguments, _handle(comm), _options(options))


def reduce(x: Any, comm: MPI.Intracomm, op: MPI.Op = MPI.SUM, root: int = 0, out: Optional[np.ndarray] = None, *,
           plan: bool = False, **options: Any) -> Any:
    """MPI_Reduce: the result is None on ranks that are not the root."""
    send, recv = _vectors(x, out if comm.rank == root else None, None if comm.rank == root else (0,), plan)
    arguments = (send.ctypes.data, recv.ctypes.data, send.size, _datatype(send.dtype), _handle(op), root)
    result = recv if comm.rank == root else None
    return _call(plan, "summand_reduce%s_c", result, (send, recv, op), *arguments, _handle(comm), _options(options))


def reduce_scatter_block(x: Any, comm: MPI.Intracomm, op: MPI.Op = MPI.SUM, out: Optional[np.ndarray] = None, *,
                         plan: bool = False, **options: Any) -> Any:
    """MPI_Reduce_scatter_block: x has comm.size blocks; the result is this rank's block."""
    array = np.asarray(x)
    if array.size % comm.size:
        raise ValueError(f"x has {array.size} elements, which are no {comm.size} blocks")
    shape = (array.shape[0] // comm.size,) + array.shape[1:] if array.ndim and array.shape[0] % comm.size == 0 else (array.size // comm.size,)
    send, recv = _vectors(x, out, shape, plan)
    arguments = (send.ctypes.data, recv.ctypes.data, recv.size, _datatype(send.dtype), _handle(op))
    return _call(plan, "summand_reduce_scatter_block%s_c", recv, (send, recv, op), *arguments, _handle(comm), _options(options))


def bcast(x: np.ndarray, comm: MPI.Intracomm, root: int = 0, *, plan: bool = False, **options: Any) -> Any:
    """MPI_Bcast: x is an array of one type and size on all ranks, overwritten but on the root."""
    array = _buffer(x, "x", comm.rank != root)
    arguments = (array.ctypes.data, array.size, _datatype(array.dtype), root)
    return _call(plan, "summand_bcast%s_c", array, (array,), *arguments, _handle(comm), _options(options))


def allgather(x: Any, comm: MPI.Intracomm, out: Optional[np.ndarray] = None, *, plan: bool = False, **options: Any) -> Any:
    """MPI_Allgather: the arrays of all ranks, one after another; out[r] is that of rank r."""
    send, recv = _vectors(x, out, (comm.size,) + np.shape(x), plan)
    datatype = _datatype(send.dtype)
    arguments = (send.ctypes.data, send.size, datatype, recv.ctypes.data, send.size, datatype)
    return _call(plan, "summand_allgather%s_c", recv, (send, recv), *arguments, _handle(comm), _options(options))


def column_sums(rows: Any, comm: MPI.Intracomm, root: Optional[int] = None, out: Optional[np.ndarray] = None, *,
                plan: bool = False, **options: Any) -> Any:
    """The exact sums of the columns of a matrix whose rows lie on any ranks, each rounded once.

    `rows`: this rank's rows, a two-dimensional array of float32, float64 or complex, or ColumnSums that took terms.
    """
    if isinstance(rows, ColumnSums):
        recv = np.empty(rows.count, rows.dtype) if out is None else _buffer(out, "out", True)
        if recv.size != rows.count or recv.dtype.char not in ("FD" if rows.dtype.kind == "c" else "fd"):
            raise TypeError(f"out has {recv.size} elements of {recv.dtype}; the sums are {rows.count} of {rows.dtype}")
        first: tuple[Any, ...] = (rows._vector, recv.ctypes.data)
        name, keep = "summand_exact_vector_reduce%s", (rows, recv)
    else:
        send = _buffer(rows, "rows") if plan else _floats(rows, "rows")
        if send.ndim != 2:
            raise ValueError(f"rows have {send.ndim} dimensions; allowed are 2")
        recv = np.empty(send.shape[1], send.dtype) if out is None else _buffer(out, "out", True)
        if recv.dtype != send.dtype or recv.shape != send.shape[1:]:
            raise TypeError(f"out has the shape {recv.shape} of {recv.dtype}; the result has {send.shape[1:]} of {send.dtype}")
        first = (send.ctypes.data, send.shape[0], max(send.shape[1], 1), recv.ctypes.data, send.shape[1])
        name, keep = "summand_column_sums%s", (send, recv)
    arguments = (*first, _datatype(recv.dtype), _root(root), _handle(comm), _options(options))
    return _call(plan, name, recv if _gets(comm, root) else None, keep, *arguments)
