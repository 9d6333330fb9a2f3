# SPDX-License-Identifier: BSD-3-Clause
"""Sums and vectors across ranks, against math.fsum, NumPy and mpi4py's own calls. Run on 1, 2, 3 ranks."""
import math
import os
import shutil
import sys
import tempfile
from fractions import Fraction

import numpy as np
from mpi4py import MPI

import summand
import summand.matrix as matrices
import summand.mpi as mpi

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
random = np.random.default_rng(7)  # the same numbers on all ranks
failed = 0


def check(good, what):
    global failed
    if not good:
        failed += 1
        print(f"rank {rank}: {what}", flush=True)


def same(got, wanted, what):
    got, wanted = np.asarray(got), np.asarray(wanted)
    check(got.dtype == wanted.dtype and got.tobytes() == wanted.tobytes(), f"{what}: {got!r}, not {wanted!r}")


def mine(x):
    """This rank's share of x: uneven, and none on the last one of several."""
    ends = np.linspace(0, len(x), max(size - 1, 1) + 1).astype(int)
    return x[ends[rank] : ends[rank + 1]] if rank + 1 < len(ends) else x[:0]


def raises(kind, words, function, *arguments, **keywords):
    try:
        function(*arguments, **keywords)
    except kind as error:
        check(words in str(error), f"says {error}")
    else:
        check(False, f"no error that says {words}")


def doubles(n):
    x = np.ldexp(random.standard_normal(n), random.integers(-300, 300, n))
    x[: n // 3] = -x[::-1][: n // 3]
    return random.permutation(x)


def sums():
    x, y = doubles(1001), doubles(1001)
    same(mpi.sum(mine(x), comm), np.float64(math.fsum(x)), "sum")
    same(mpi.sum(mine(x)[::-1], comm), np.float64(math.fsum(x)), "sum, strides")
    same(mpi.asum(mine(x), comm), np.float64(math.fsum(abs(x))), "asum")
    same(mpi.dot(mine(x), mine(y), comm), np.float64(summand.dot(x, y)), "dot")
    same(mpi.norm(mine(x), comm), np.float64(summand.norm(x)), "norm")
    z = x + 1j * y
    same(mpi.sum(mine(z), comm), summand.fsum(z), "complex sum")
    floats = np.ldexp(x, -200).astype("f4")
    same(mpi.sum(mine(floats), comm), summand.fsum(floats), "float sum")
    integers = random.integers(-(2**62), 2**62, 999)
    wanted = Fraction(0) + sum_of(integers)
    same(mpi.sum(mine(integers), comm), np.float64(wanted.numerator / wanted.denominator), "integers")
    halves = random.standard_normal(999).astype("f2")
    same(mpi.sum(mine(halves), comm), np.float64(math.fsum(halves.tolist())), "halves")
    for value in (-0.0, math.inf, math.nan):
        same(mpi.sum(np.full(2, value, "f2"), comm), np.float64(value), f"halves {value}")
    for root in (0, size - 1):
        got = mpi.sum(mine(x), comm, root=root)
        check((got is None) == (rank != root), "root")
        check(got is None or got == math.fsum(x), "root's sum")
    tree = mpi.sum(mine(x), comm, promise="index")
    same(tree, mpi.sum(mine(x), comm, promise="index", algorithm="binomial"), "index")
    raises(TypeError, "only promise='exact'", mpi.sum, mine(halves), comm, promise="index")
    raises(ValueError, "promise is 'best'", mpi.sum, mine(x), comm, promise="best")
    raises(TypeError, "no option is called speed", mpi.sum, mine(x), comm, speed=3)
    raises(TypeError, "allowed are float32", mpi.dot, [1], [1], comm)
    raises(mpi.Error, "no such algorithm", mpi.sum, mine(x), comm, algorithm="none-such")


def sum_of(integers):
    return Fraction(int(integers.astype(object).sum()))


def vectors():
    for dtype in ("i4", "i8", "f4", "f8", "c16"):
        all_ranks = [np.arange(24).reshape(6, 4).astype(dtype) * (r + 1) for r in range(size)]
        x, total = all_ranks[rank], np.sum(all_ranks, axis=0).astype(dtype)
        same(mpi.allreduce(x, comm), total, dtype)
        same(mpi.allreduce(x[:, ::2], comm, promise="canonical"), np.ascontiguousarray(total[:, ::2]), dtype)
        out = np.empty_like(x)
        check(mpi.allreduce(x, comm, out=out) is out, "out")
        same(out, total, dtype)
        got = mpi.reduce(x, comm, root=size - 1)
        check((got is None) == (rank != size - 1), "reduce")
        if got is not None:
            same(got, total, dtype)
        same(mpi.allgather(x, comm), np.stack(all_ranks), dtype)
        blocks = np.concatenate([all_ranks[rank]] * size)
        same(mpi.reduce_scatter_block(blocks, comm), total, dtype)
        same(mpi.scan(x, comm), sum(all_ranks[1 : rank + 1], all_ranks[0].copy()), dtype)
        below = mpi.exscan(x, comm)
        check(below is None if rank == 0 else True, "exscan on rank 0")
        if rank:
            same(below, sum(all_ranks[1:rank], all_ranks[0].copy()), dtype)
        buffer = x.copy()
        same(mpi.bcast(buffer, comm, root=size - 1), all_ranks[size - 1], dtype)
    x = doubles(size * 50).reshape(size, 50)
    same(mpi.allreduce(x[rank], comm, promise="exact"), summand.fsum(x, axis=0), "exact vectors")
    same(mpi.scan(x[rank], comm, promise="exact"), summand.fsum(x[: rank + 1], axis=0), "exact prefixes")
    for check_ in ("off", "detect", "correct"):
        same(mpi.allreduce(x[rank], comm, promise="exact", check=check_), summand.fsum(x, axis=0), check_)
    raises(ValueError, "check is 'on'; allowed are default, off, detect", mpi.allreduce, x[rank], comm, check="on")
    same(mpi.allreduce(np.array([rank]), comm, MPI.MAX), np.array([size - 1]), "maximum")
    raises(TypeError, "the result has 50", mpi.allreduce, x[rank], comm, out=np.empty(49))


def plans():
    x, out = np.empty(10), np.empty(10)
    with mpi.allreduce(x, comm, out=out, plan=True) as plan:
        for turn in range(3):
            x[:] = turn + rank
            check(plan() is out, "plan")
            same(out, np.full(10, sum(turn + r for r in range(size)), float), "plan")
        plan.start()
        while not plan.test():
            pass
        plan.wait()
    raises(mpi.Error, "", plan.wait)
    raises(TypeError, "not a contiguous array", mpi.allreduce, np.empty((4, 4))[:, 0], comm, plan=True)


def columns():
    x = doubles(90 * 5).reshape(90, 5)
    wanted = summand.fsum(x, axis=0)
    same(mpi.column_sums(mine(x), comm), wanted, "columns")
    sums = summand.ColumnSums(5).add(mine(x))
    same(mpi.column_sums(sums, comm), wanted, "accumulators")
    got = mpi.column_sums(sums, comm, root=0)
    check((got is None) == (rank != 0), "columns, root")
    rows = np.ascontiguousarray(mine(x))
    with mpi.column_sums(rows, comm, plan=True) as plan:
        same(plan(), wanted, "columns, plan")
    raises(ValueError, "allowed are 2", mpi.column_sums, x[0], comm)


def products_of_integers():
    """Integers, so that any order of sums is exact."""
    k = 5 + rank
    whole = [random.integers(-9, 9, (5 + r, 7)).astype("f8") for r in range(size)]
    a, b = whole[rank][:, :4], whole[rank][:, 4:]
    wanted = np.sum([w[:, :4].T @ w[:, 4:] for w in whole], axis=0)
    for dtype in ("f4", "f8"):
        same(matrices.outer(a.astype(dtype), b.astype(dtype), comm), wanted.astype(dtype), f"outer {k}")
    w = np.ones((4, 3))
    check(matrices.outer(a, b, comm, w, alpha=-2, beta=3, promise="same") is w, "outer, out")
    same(w, 3 - 2 * wanted, "outer, alpha and beta")
    got = matrices.outer(a, b, comm, root=size - 1)
    check((got is None) == (rank != size - 1), "outer, root")
    x, y = np.ascontiguousarray(a), np.ascontiguousarray(b)
    with matrices.outer(x, y, comm, plan=True) as plan:
        x *= 2
        same(plan(), 2 * wanted, "outer, plan")
    raises(ValueError, "as many rows", matrices.outer, a, b[:-1], comm)
    raises(TypeError, "no option is called speed", matrices.outer, a, b, comm, speed=1)


def matrices_and_products():
    def number(i, j):
        return (7 * i + 3 * j) % 11 - 5.0

    full = number(np.arange(9)[:, None], np.arange(6)[None, :])
    last = [size - 1]
    with matrices.Matrix(9, 6, comm, blocks=(2, 2), grid=(size, 1)) as a, matrices.Matrix(9, 6, comm, blocks=(4, 3), group=last) as b, \
            matrices.Matrix(6, 6, comm, blocks=(3, 1)) as c, matrices.Matrix(6, 9, comm) as t:
        a.fill(number)
        same(a.get(), np.asfortranarray(full), "get")
        b.set(full[2:5, 1:] if rank == 0 else full[:0, :0], 2, 1)
        same(b.get(2, 1, 3, 5), np.asfortranarray(full[2:5, 1:]), "set")
        a.copy_to(b)
        rows, columns = b.places()
        check(len(rows) == (9 if rank == size - 1 else 0), "a group")
        same(b.local, full[rows][:, columns] if len(rows) else np.empty(b.local.shape), "copy")
        a.copy_to(t, transpose=True)
        same(t.get(), np.asfortranarray(full.T), "transpose")
        matrices.gemm(a, b, c, trans_a=True)
        same(c.get(), np.asfortranarray(full.T @ full), "gemm")
        with matrices.gemm(t, a, c, alpha=2, beta=1, plan=True) as plan:
            check(plan() is c, "gemm, plan")
        same(c.get(), np.asfortranarray(3 * (full.T @ full)), "gemm, alpha and beta")
        check(a.norm("one") == abs(full).sum(axis=0).max() and a.norm("max") == 5, "norm")
        check(a.norm() == math.sqrt((full**2).sum()), "norm of Frobenius")
        raises(ValueError, "kind is 'two'; allowed are frobenius, max", a.norm, "two")
        raises(ValueError, "format is 'csv'; allowed are npy", a.write, "unused", "csv")
        raises(mpi.Error, "", matrices.gemm, a, a, c)
        path = comm.bcast(tempfile.mkdtemp() if rank == 0 else None) + "/matrix.npy"
        a.write(path)
        if rank == 0:
            same(np.load(path), np.asfortranarray(full), "write")
        t2 = matrices.Matrix(9, 6, comm, blocks=(1, 1))
        t2.read(path)
        same(t2.get(), np.asfortranarray(full), "read")
        t2.free()
        comm.barrier()
        if rank == 0:
            shutil.rmtree(os.path.dirname(path))


sum = sum  # the built-in one
for part in (sums, vectors, plans, columns, products_of_integers, matrices_and_products):
    part()
total = comm.allreduce(failed)
if rank == 0:
    print(f"{total} failed" if total else "passed")
sys.exit(total > 0)
