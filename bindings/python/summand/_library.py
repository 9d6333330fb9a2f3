# SPDX-License-Identifier: BSD-3-Clause
"""Finds Summand's shared libraries and loads them by ctypes.

libsummand-local needs no MPI. libsummand serves one kind of MPI, because handles differ: a library has a symbol that
names its own kind. Both are looked for beside this file (a wheel), in the `lib` of the prefix into which this package
was installed, and where the loader looks (LD_LIBRARY_PATH, the system's folders). `use` names a file instead.
"""
from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_double, c_float, c_int, c_longlong, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Optional

GUARD = "summand_link_after_this_the_library_for_"
SONAME = ".so.0.2"  # of the version that this package was written for
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


def _open(names: tuple[str, ...], which: str, wanted: str, complaint: str) -> Any:
    tried = []
    for candidate in (found for name in names for found in _candidates(name, which)):
        try:
            library = ctypes.CDLL(candidate)
        except OSError as error:
            tried.append(str(error))
            continue
        if hasattr(library, wanted):
            return library
        tried.append(f"{candidate}: {complaint}")
    hint = f"LD_LIBRARY_PATH can name its folder, and summand.use({which}=...) its file"
    raise ImportError(f"summand: no usable {names[0]} ({hint}): " + "; ".join(tried))


# Functions: the result, then the arguments. p: an address, s: a text, n: size_t, i: int, c: MPI_Count, h: a handle.
_TYPES: dict[str, Any] = {"-": None, "p": c_void_p, "s": c_char_p, "n": c_size_t, "i": c_int, "c": c_longlong, "d": c_double, "f": c_float}
_LOCAL = """
    exact_init -p; exact_merge -pp; exact_negate -p; exact_round dp; exact_round_f32 fp; exact_round2 -ppp; exact_sqrt dp
    exact_sqrt_f32 fp; exact_pack npp; exact_unpack nppn; exact_sum dnp; exact_add -pnp; exact_add_abs -pnp
    exact_add_squares -pnp; exact_add_products -pnpp; exact_add_f32 -pnp; exact_add_abs_f32 -pnp; exact_add_squares_f32 -pnp
    exact_add_products_f32 -pnpp; exact_vector_new pn; exact_vector_free -p; exact_vector_clear -p; exact_vector_bytes np
    exact_vector_merge ipp; exact_vector_add ipnnp; exact_vector_add_f32 ipnnp; exact_vector_add_f16 ipnnp
    exact_vector_add_at ipnpp; exact_vector_add_at_f32 ipnpp; exact_vector_round ipp; exact_vector_round_f32 ipp
    exact_vector_round_f16 ipp; version s; network_load isppn; network_free -p; network_inputs np; network_outputs np
    network_has_probabilities ip; network_run ipnppppn
"""
_MPI = """
    sum ippchihp; asum ippchihp; nrm2 ippchihp; dot ipppchihp; error_of ii; error_text si
    plan_start ip; plan_test ipp; plan_wait ip; plan_free ip; matrix_create iphpchp; matrix_local ippppp; matrix_index ipccpp
    matrix_get ipccccpc; matrix_set ipccccpc; matrix_norm ipip; matrix_read ipsi; matrix_write ipsi; matrix_free ip
    scan%s_c ippchhhp; exscan%s_c ippchhhp
    allreduce%s_c ippchhhp; reduce%s_c ippchhihp; reduce_scatter_block%s_c ippchhhp; bcast%s_c ipchihp
    allgather%s_c ipchpchhp; column_sums%s ipccpchihp; exact_vector_reduce%s ipphihp; outer%s icidpdhihp; gemm%s iiidppdpp
    matrix_copy%s ipp; matrix_transpose%s ipp
"""  # with %s: also the function with _init, which makes a plan


def _declare(library: Any, table: str, handle: Any = None) -> None:
    types = {**_TYPES, "h": handle}
    for entry in table.replace("\n", ";").split(";"):
        if not entry.strip():
            continue
        name, letters = entry.split()
        for end in ("", "_init") if "%s" in name else ("",):
            function = getattr(library, "summand_" + name.replace("%s", end))
            function.restype, *function.argtypes = (types[letter] for letter in letters + "p" * bool(end))


def local() -> Any:
    """The functions that need no MPI: of libsummand-local, or of libsummand if that is loaded already."""
    if "local" not in _loaded:
        library = _loaded.get("mpi")
        if library is None:
            library = _open(("libsummand-local",), "local", "summand_exact_sum", "is no libsummand-local")
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
        (name, c_int) for name in ("radix", "node_size", "leaders", "radix_between", "check")
    ]


def mpi(MPI: Any) -> Any:
    """libsummand for the MPI of mpi4py."""
    if "mpi" not in _loaded:
        kind = kind_of_mpi(MPI)
        wanted = GUARD + KINDS[kind]
        names = (f"libsummand-{kind}", "libsummand")  # the first one where there are several side by side
        library = _open(names, "mpi", wanted, f"built with another MPI than mpi4py, which has {kind}")
        handle = c_int if kind == "mpich" else c_void_p
        _declare(library, _MPI, handle)
        library.summand_handle = handle
        _loaded["mpi"] = library
    return _loaded["mpi"]
