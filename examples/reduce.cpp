// SPDX-License-Identifier: BSD-3-Clause
// Threads of a process: std::reduce of each thread's part, and an exact accumulator for each. The
// first sum changes with the number of threads, as that of std::reduce(std::execution::par) may
// with each call.
//     make reduce && ./reduce
// Prints on 1 rank: std::reduce: several sums, exact: 1
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>
#include <summand.hpp>
#include <thread>
#include <vector>

// Runs work(t, part t of x) in so many threads.
template <class Work> void in_threads(unsigned threads, const std::vector<double> &x, Work work)
{
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; t++)
        running.emplace_back([&, t] {
            const std::size_t first = x.size() * t / threads, last = x.size() * (t + 1) / threads;
            work(t, summand::span(x.data() + first, last - first));
        });
    for (std::thread &thread : running)
        thread.join();
}

int main()
{
    std::vector<double> x(100000);
    for (std::size_t i = 0; i < x.size(); i++)
        x[i] = std::ldexp(1.0 / double(i + 1), int(i % 64)) * (i % 2 ? 1 : -1);
    std::set<double> plain, exact;
    for (unsigned threads = 1; threads <= 8; threads++) {
        std::vector<double> parts(threads);
        in_threads(threads, x, [&](unsigned t, auto part) {
            parts[t] = std::reduce(part.data(), part.data() + part.size());
        });
        plain.insert(std::reduce(parts.begin(), parts.end()));
        std::vector<summand::exact> sums(threads);
        in_threads(threads, x, [&](unsigned t, auto part) { sums[t].add(part); });
        for (unsigned t = 1; t < threads; t++)
            sums[0] += sums[t]; // in any order
        exact.insert(summand_exact_round(&sums[0]));
    }
    std::printf("std::reduce: %s, exact: %zu\n", plain.size() > 1 ? "several sums" : "1",
                exact.size());
}
