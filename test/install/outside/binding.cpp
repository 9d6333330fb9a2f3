/* SPDX-License-Identifier: BSD-3-Clause */
#include <array>
#include <cmath>
#include <cstdio>
#include <summand.hpp>
#include <vector>

static int wrong;
static void expect(bool right, const char *what)
{
    if (!right)
        wrong++, std::printf("wrong: %s\n", what);
}

// The error of a call, thrown and returned: once each, with the condition or class and the same
// text.
template <class Call> static void refused(Call call, int wanted, const char *what)
{
    std::error_code code;
    call(&code);
    expect(bool(code), what);
    try {
        call(nullptr);
        expect(false, what);
    } catch (const std::system_error &error) {
        int its_class = 0;
        MPI_Error_class(error.code().value(), &its_class);
        expect(error.code() == code && its_class == wanted, what);
        expect(error.what() == code.message(), "the text");
    }
}

static void sums(double ranks, MPI_Comm comm)
{
    const std::vector<double> x{1e16, 1, -1e16}, none;
    const double pair[2] = {3, -4};
    const std::array<float, 2> ones{1, 1};
    const std::complex<double> z[1] = {{1, 2}};
    expect(summand::sum(x, comm) == ranks, "sum");
    expect(summand::sum(none, comm) == 0, "sum of none");
    expect(summand::asum(pair, comm, SUMMAND_PROMISE_INDEX) == 7 * ranks, "asum by the tree");
    expect(summand::nrm2(ones, comm) == std::sqrt(float(2 * ranks)), "nrm2 of floats");
    expect(summand::dot(pair, summand::span(x.data() + 1, 2), comm) ==
               std::fma(4e16, ranks, 3 * ranks),
           "dot of a span");
    expect(summand::sum(z, comm) == std::complex<double>(ranks, 2 * ranks), "sum of complex");
    std::array<double, 2> y{};
    const double rows[6] = {1, 1e16, 2, 1, 3, -1e16};
    summand::column_sums(rows, y, comm);
    expect(y[0] == 6 * ranks && y[1] == ranks, "column sums");
    refused([&](auto e) { summand::dot(pair, x, comm, {}, e); }, MPI_ERR_COUNT, "lengths differ");
    refused([&](auto e) { summand::column_sums(x, y, comm, {}, e); }, MPI_ERR_COUNT,
            "a part of a row");
    const summand_options none_such = {
        "no-such-algorithm", SUMMAND_PROMISE_EXACT, 0, 0, 0, 0, 0, 0, SUMMAND_CHECKED_DEFAULT};
    refused([&](auto e) { summand::sum(x, comm, none_such, e); }, summand_error_class(),
            "an algorithm");
    summand::exact parts[2];
    parts[0].add(summand::span(x.data(), 1)) += parts[1].add(summand::span(x.data() + 1, 2));
    expect(summand_exact_round(&parts[0]) == 1, "exact");
}

static void vectors(int ranks, MPI_Comm comm)
{
    std::vector<long> numbers(1000, 1), all(1000);
    summand::allreduce(numbers, all, MPI_SUM, comm, SUMMAND_PROMISE_CANONICAL);
    expect(all.front() == ranks && all.back() == ranks, "allreduce");
    summand::allreduce(all, all, MPI_MAX, comm);
    expect(all.back() == ranks, "allreduce in place");
    refused(
        [&](auto e) {
            summand::allreduce(numbers, summand::span(all.data(), 1), MPI_SUM, comm, {}, e);
        },
        MPI_ERR_COUNT, "vectors of two lengths");
    const std::vector<double> tenths(2, 0.1);
    std::vector<double> y(2);
    summand::plan one = summand::allreduce_plan(tenths, y, MPI_SUM, comm, SUMMAND_PROMISE_EXACT),
                  two;
    one();
    expect(!two && y[1] > 0.09 * ranks, "a plan");
    two = std::move(one);
    expect(!one && two, "a plan that moved");
    two.start(); // and is freed when it is complete
}

static summand::plan matrices(MPI_Comm comm)
{
    const summand_matrix_shape shape = {3, 3, 2, 2, 1, 1, nullptr};
    summand::matrix a(summand_matrix_create, &shape, MPI_DOUBLE, nullptr, 0, comm);
    summand::matrix c(summand_matrix_create, &shape, MPI_DOUBLE, nullptr, 0, comm);
    summand::check(summand_matrix_fill(
        a.get(), [](MPI_Count i, MPI_Count j, void *) { return i == j ? 2.0 : 0.0; }, nullptr));
    summand::plan product(summand_gemm_init, SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1.0,
                          a.get(), a.get(), 0.0, c.get(), nullptr);
    product();
    double largest = 0;
    summand::check(summand_matrix_norm(c.get(), SUMMAND_NORM_MAX, &largest));
    expect(largest == 4, "gemm");
    double in = 1, out = 0;
    return summand::plan(summand_allreduce_init, &in, &out, 1, MPI_DOUBLE, MPI_SUM, comm, nullptr);
}

// The number of ranks, on each rank.
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    sums(ranks, MPI_COMM_WORLD);
    vectors(ranks, MPI_COMM_WORLD);
    const summand::plan outlives = matrices(MPI_COMM_WORLD);
    std::printf("%d\n", wrong ? -wrong : ranks);
    MPI_Finalize();
}
