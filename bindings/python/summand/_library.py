# SPDX-License-Identifier: BSD-3-Clause
"""Finds Summand's shared libraries and loads them by ctypes.

libsummand-local needs no MPI. libsummand serves one kind of MPI, because handles differ: a library has a symbol that
names its own kind. Both are looked for beside this file (a wheel), in the `lib` of the prefix into which this package
was installed, and where the loader looks (LD_LIBRARY_PATH, the system's folders). `use` names a file instead.
"""
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_longlong, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Optional

GUARD = "summand_link_after_this_the_library_for_"
SONAME = ".so.0.1"  # of the version that this package was written for
KINDS = {"openmpi": "open_mpi", "mpich": "mpich", "abi": "mpi_abi"}

_named: dict[str, str] = {}
_loaded: dict[str, Any] = {}


def use(*, local: Optional[str] = None, mpi: Optional[str] = None) -> None:
    """Names the files of libsummand-local and libsummand, before the first call that needs them."""
    for name, path in (("local", local), ("mpi", mpi)):
        if path is not None:
            if name in _loaded:
                raise RuntimeError(f"summand.use: the library is loaded already, {_loaded[name]._name}")
            _named[name] = path


def _candidates(name: str, which: str) -> list[str]:
    if which in _named:
        return [_named[which]]
    here = Path(__file__).resolve().parent
    folders = [here] + [parent / lib for parent in here.parents for lib in ("lib", "lib64") if (parent / lib).is_dir()]
    folders += [place for folder in folders[1:] for place in sorted(folder.glob("*-linux-gnu*")) if place.is_dir()]
    found = [folder / (name + end) for folder in folders for end in (SONAME, ".so")]
    return [str(file) for file in found if file.exists()] + [name + SONAME, name + ".so"]


def _open(name: str, which: str, wanted: str, complaint: str) -> Any:
    tried = []
    for candidate in _candidates(name, which):
        try:
            library = ctypes.CDLL(candidate)
        except OSError as error:
            tried.append(str(error))
            continue
        if hasattr(library, wanted):
            return library
        tried.append(f"{candidate}: {complaint}")
    raise ImportError(f"summand: no usable {name}: " + "; ".join(tried))


def _declare(library: Any, table: dict[str, tuple[Any, list[Any]]]) -> None:
    for name, (result, arguments) in table.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


_N, _P = c_size_t, c_void_p
_LOCAL: dict[str, tuple[Any, list[Any]]] = {
    "summand_exact_init": (None, [_P]),
    "summand_exact_merge": (None, [_P, _P]),
    "summand_exact_negate": (None, [_P]),
    "summand_exact_round": (c_double, [_P]),
    "summand_exact_round_f32": (c_float, [_P]),
    "summand_exact_round2": (None, [_P, POINTER(c_double), POINTER(c_double)]),
    "summand_exact_sqrt": (c_double, [_P]),
    "summand_exact_sqrt_f32": (c_float, [_P]),
    "summand_exact_pack": (_N, [_P, _P]),
    "summand_exact_unpack": (_N, [_P, _P, _N]),
    "summand_exact_sum": (c_double, [_N, _P]),
    "summand_exact_vector_new": (_P, [_N]),
    "summand_exact_vector_free": (None, [POINTER(_P)]),
    "summand_exact_vector_clear": (None, [_P]),
    "summand_exact_vector_bytes": (_N, [_P]),
    "summand_exact_vector_merge": (c_int, [_P, _P]),
    "summand_version": (c_char_p, []),
    "summand_network_load": (c_int, [c_char_p, _P, _P, _N]),
    "summand_network_free": (None, [_P]),
    "summand_network_inputs": (_N, [_P]),
    "summand_network_outputs": (_N, [_P]),
    "summand_network_has_probabilities": (c_int, [_P]),
    "summand_network_run": (c_int, [_P, _N, _P, _P, _P, _P, _N]),
}
for _type in ("", "_f32"):
    for _kind in ("add", "add_abs", "add_squares"):
        _LOCAL[f"summand_exact_{_kind}{_type}"] = (None, [_P, _N, _P])
    _LOCAL[f"summand_exact_add_products{_type}"] = (None, [_P, _N, _P, _P])
    _LOCAL[f"summand_exact_vector_add_at{_type}"] = (c_int, [_P, _N, _P, _P])
for _type in ("", "_f32", "_f16"):
    _LOCAL[f"summand_exact_vector_add{_type}"] = (c_int, [_P, _N, _N, _P])
    _LOCAL[f"summand_exact_vector_round{_type}"] = (c_int, [_P, _P])


def local() -> Any:
    """The functions that need no MPI: of libsummand-local, or of libsummand if that is loaded already."""
    if "local" not in _loaded:
        library = _loaded.get("mpi")
        if library is None:
            library = _open("libsummand-local", "local", "summand_exact_sum", "is no libsummand-local")
        _declare(library, _LOCAL)
        _loaded["local"] = library
    return _loaded["local"]


def kind_of_mpi(MPI: Any) -> str:
    """What mpi4py's handles are: constants of the standard ABI of MPI 5, addresses (Open MPI), or integers (MPICH)."""
    if getattr(MPI, "Get_abi_version", lambda: (-1, -1))()[0] > 0:
        return "abi"
    return "openmpi" if MPI._sizeof(MPI.Comm) > ctypes.sizeof(c_int) else "mpich"


class Options(ctypes.Structure):
    """summand_options of summand/options.h."""

    _fields_ = [("algorithm", c_char_p), ("promise", c_int), ("timeout", c_double), ("segment", c_longlong)] + [
        (name, c_int) for name in ("radix", "node_size", "leaders", "radix_between")
    ]


def mpi(MPI: Any) -> Any:
    """libsummand for the MPI of mpi4py."""
    if "mpi" not in _loaded:
        kind = kind_of_mpi(MPI)
        wanted = GUARD + KINDS[kind]
        library = _open("libsummand", "mpi", wanted, f"built with another MPI than mpi4py, which has {kind}")
        handle, count = (c_int if kind == "mpich" else c_void_p), c_longlong
        sums, vectors = [_P, count, handle, c_int, handle, _P], [_P, _P, count, handle, handle]
        calls: dict[str, list[Any]] = {
            "summand_sum": [_P] + sums,
            "summand_asum": [_P] + sums,
            "summand_nrm2": [_P] + sums,
            "summand_dot": [_P, _P] + sums,
            "summand_allreduce%s_c": vectors + [handle, _P],
            "summand_reduce%s_c": vectors + [c_int, handle, _P],
            "summand_reduce_scatter_block%s_c": vectors + [handle, _P],
            "summand_bcast%s_c": [_P, count, handle, c_int, handle, _P],
            "summand_allgather%s_c": [_P, count, handle, _P, count, handle, handle, _P],
            "summand_column_sums%s": [_P, count, count, _P, count, handle, c_int, handle, _P],
            "summand_exact_vector_reduce%s": [_P, _P, handle, c_int, handle, _P],
            "summand_outer%s": [count, c_int, c_double, _P, c_double, handle, c_int, handle, _P],
            "summand_gemm%s": [c_int, c_int, c_double, _P, _P, c_double, _P, _P],
            "summand_matrix_create": [_P, handle, _P, count, handle, _P],
            "summand_matrix_local": [_P] * 5,
            "summand_matrix_index": [_P, count, count, _P, _P],
            "summand_matrix_get": [_P] + [count] * 4 + [_P, count],
            "summand_matrix_set": [_P] + [count] * 4 + [_P, count],
            "summand_matrix_copy%s": [_P, _P],
            "summand_matrix_transpose%s": [_P, _P],
            "summand_matrix_norm": [_P, c_int, _P],
            "summand_matrix_read": [_P, c_char_p, c_int],
            "summand_matrix_write": [_P, c_char_p, c_int],
            "summand_matrix_free": [_P],
            "summand_error_of": [c_int],
            "summand_plan_start": [_P],
            "summand_plan_test": [_P, _P],
            "summand_plan_wait": [_P],
            "summand_plan_free": [_P],
        }
        table: dict[str, tuple[Any, list[Any]]] = {"summand_error_text": (c_char_p, [c_int])}
        for name, arguments in calls.items():
            table[name.replace("%s", "")] = (c_int, arguments)
            if "%s" in name:
                table[name.replace("%s", "_init")] = (c_int, arguments + [_P])
        _declare(library, table)
        library.summand_handle = handle
        _loaded["mpi"] = library
    return _loaded["mpi"]
