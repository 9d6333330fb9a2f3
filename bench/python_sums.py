#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Nanoseconds per element of sums of doubles in Python, one process, least of 30 interleaved rounds.

Usage: PYTHONPATH=bindings/python LD_LIBRARY_PATH=build/openmpi/src python3 bench/python_sums.py
"""
import math
import time

import numpy as np

import summand

random = np.random.default_rng(1)
SUMS = {"numpy.sum": np.sum, "summand.fsum": summand.fsum, "math.fsum": math.fsum}
DOTS = {"numpy.dot": lambda x: np.dot(x, x), "summand.dot": lambda x: summand.dot(x, x), "summand.norm": summand.norm}
DATA = {
    "similar magnitudes": lambda n: random.standard_normal(n),
    "magnitudes of 600 decades": lambda n: np.ldexp(random.standard_normal(n), random.integers(-1000, 1000, n)),
}


def table(title, functions, make):
    print(f"{title:<28}" + "".join(f"{name:>14}" for name in functions))
    for n in (10, 100, 1000, 10**4, 10**5, 10**6):
        x, least = make(n), {name: math.inf for name in functions}
        times = max(1, 20000 // n)
        for _ in range(30):
            for name, function in functions.items():
                begin = time.perf_counter()
                for _ in range(times):
                    function(x)
                least[name] = min(least[name], (time.perf_counter() - begin) / times / n * 1e9)
        print(f"{n:<28}" + "".join(f"{value:14.3g}" for value in least.values()))


for data, make in DATA.items():
    table("sum, " + data, SUMS, make)
table("products, similar magnitudes", DOTS, DATA["similar magnitudes"])
