# SPDX-License-Identifier: BSD-3-Clause
"""Sums and vectors across ranks, against math.fsum, NumPy and mpi4py's own calls. Run on 1, 2, 3 ranks."""
import math
import sys
from fractions import Fraction

import numpy as np
from mpi4py import MPI

import summand
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
        buffer = x.copy()
        same(mpi.bcast(buffer, comm, root=size - 1), all_ranks[size - 1], dtype)
    x = doubles(size * 50).reshape(size, 50)
    same(mpi.allreduce(x[rank], comm, promise="exact"), summand.fsum(x, axis=0), "exact vectors")
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


sum = sum  # the built-in one
for part in (sums, vectors, plans, columns):
    part()
total = comm.allreduce(failed)
if rank == 0:
    print(f"{total} failed" if total else "passed")
sys.exit(total > 0)
