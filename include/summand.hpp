/* SPDX-License-Identifier: BSD-3-Clause */
/* Summand in C++17 and later, header only; docs/cpp.md begins with a program. The header of the C
 * function of the same name says what a call promises, costs and refuses.
 *
 * Arrays are what has std::data and std::size: std::vector, C arrays, summand::span(p, n). Elements
 * are double, float, std::complex of these, or int and long, signed or not: others do not compile.
 * A call takes those that it takes in C. If arrays of a call do not fit each other, its count is
 * -1: MPI_ERR_COUNT on this rank, as in C.
 *
 * Errors. MPI_COMM_WORLD's handler ends the program first, as in C, unless that is set to
 * MPI_ERRORS_RETURN. Then a call throws std::system_error, or sets the std::error_code whose
 * address is its last argument. what() is summand_error_text; summand_error_of(code.value()) the
 * condition. */
#ifndef SUMMAND_HPP
#define SUMMAND_HPP

#include <complex>
#include <iterator>
#include <memory>
#include <summand.h>
#include <system_error>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace summand
{
#if __cplusplus >= 202002L
using std::span;
#else
/** What std::span is in C++20, as far as it is needed here: elements that somebody else owns. */
template <class T> struct span {
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }

  private:
    T *data_;
    std::size_t size_;
};
#endif
/** The type of an array's elements. */
template <class Array>
using element_of = std::decay_t<decltype(*std::data(std::declval<Array &>()))>;

/** The MPI's datatype of T. */
template <class T> MPI_Datatype datatype()
{
    constexpr auto is = [](auto... like) { return (... || std::is_same_v<T, decltype(like)>); };
    static_assert(is(1., 1.F, std::complex(1.), std::complex(1.F), 0, 0U, 0L, 0UL),
                  "no element type of summand.hpp");
    return is(double())                 ? MPI_DOUBLE
           : is(float())                ? MPI_FLOAT
           : is(std::complex<double>()) ? MPI_C_DOUBLE_COMPLEX
           : is(std::complex<float>())  ? MPI_C_FLOAT_COMPLEX
           : is(int())                  ? MPI_INT
           : is(0U)                     ? MPI_UNSIGNED
           : is(0L)                     ? MPI_LONG
                                        : MPI_UNSIGNED_LONG;
}

/** The category of the codes that calls return: Summand's and the MPI's. */
inline const std::error_category &category() noexcept
{
    static const struct : std::error_category {
        const char *name() const noexcept override
        {
            return "summand";
        }
        std::string message(int code) const override
        {
            return summand_error_text(code);
        }
    } instance;
    return instance;
}

using error_to = std::error_code *; /**< where an error goes; NULL: it is thrown */
/** Of the code of a C call: sets *e, or else throws if it is not MPI_SUCCESS. */
inline void check(int code, error_to e = {})
{
    if (e)
        *e = code == MPI_SUCCESS ? std::error_code() : std::error_code(code, category());
    else if (code != MPI_SUCCESS)
        throw std::system_error(code, category());
}

template <auto Free> struct freer {
    template <class T> void operator()(T *pointer) const noexcept
    {
        (void)Free(&pointer);
    }
};
/** A handle of the C library, which frees itself: a std::unique_ptr. */
template <class T, auto Free> struct handle : std::unique_ptr<T, freer<Free>> {
    using std::unique_ptr<T, freer<Free>>::unique_ptr;
    /** Calls a C function that makes a handle, without its last argument, the handle's address:
     *  matrix(summand_matrix_create, &shape, MPI_DOUBLE, nullptr, 0, comm). Throws. */
    template <class... Parameters, class... Arguments>
    explicit handle(int (*make)(Parameters...), Arguments &&...arguments)
    {
        T *pointer = nullptr;
        check(make(std::forward<Arguments>(arguments)..., &pointer));
        this->reset(pointer);
    }
};

/** Waits for an active plan, then frees it; after MPI_Finalize it only frees it. */
inline int finish_plan(summand_plan **plan)
{
    int ended = 0;
    if (MPI_Finalized(&ended) == MPI_SUCCESS && !ended)
        summand_plan_waitall(1, plan);
    return summand_plan_free(plan);
}

/** A plan. Its arrays must outlive it. p() starts it and waits for it. */
struct plan : handle<summand_plan, finish_plan> {
    using handle::handle;
    void start(error_to e = {})
    {
        check(summand_plan_start(get()), e);
    }
    void wait(error_to e = {})
    {
        check(summand_plan_wait(get()), e);
    }
    void operator()()
    {
        start();
        wait();
    }
};

using matrix = handle<summand_matrix, summand_matrix_free>;
using segment = handle<summand_segment, summand_segment_free>;
using exact_vector = handle<summand_exact_vector, summand_exact_vector_free>;
using network = handle<summand_network, summand_network_free>;

/** Options that a promise can stand for: sum(x, comm, SUMMAND_PROMISE_INDEX). */
struct options : summand_options {
    options(enum summand_promise wanted = SUMMAND_PROMISE_DEFAULT) : summand_options{}
    {
        promise = wanted;
    }
    options(const summand_options &all) : summand_options(all)
    {
    }
};

/** The length of arrays of one type that must be of one length; -1 if they are not. */
template <class First, class... More> MPI_Count count_of(const First &first, const More &...more)
{
    static_assert((... && std::is_same_v<element_of<const More>, element_of<const First>>));
    return (... && (std::size(more) == std::size(first))) ? MPI_Count(std::size(first)) : -1;
}

#define SUMMAND_SUM_OF(name)                                                                       \
    template <class Array>                                                                         \
    element_of<Array> name(const Array &x, MPI_Comm comm, const options &o = {}, error_to e = {})  \
    {                                                                                              \
        element_of<Array> result{};                                                                \
        check(summand_##name(std::data(x), &result, count_of(x), datatype<element_of<Array>>(),    \
                             SUMMAND_ROOT_ALL, comm, &o),                                          \
              e);                                                                                  \
        return result;                                                                             \
    }
/** The sum (of absolute values; the Euclidean norm) of the elements of all ranks, on all ranks. */
SUMMAND_SUM_OF(sum)
SUMMAND_SUM_OF(asum)
SUMMAND_SUM_OF(nrm2)
#undef SUMMAND_SUM_OF
/** The dot product over all ranks, on all ranks. */
template <class Array, class Other>
element_of<Array> dot(const Array &x, const Other &y, MPI_Comm comm, const options &o = {},
                      error_to e = {})
{
    element_of<Array> result{};
    check(summand_dot(std::data(x), std::data(y), &result, count_of(x, y),
                      datatype<element_of<Array>>(), SUMMAND_ROOT_ALL, comm, &o),
          e);
    return result;
}

/** Exact sums of the columns of rows that lie on any ranks, row by row in x; y has a row. */
template <class Array, class Result>
void column_sums(const Array &x, Result &&y, MPI_Comm comm, const options &o = {}, error_to e = {})
{
    static_assert(std::is_same_v<element_of<Array>, element_of<Result>>);
    const MPI_Count columns = count_of(y), elements = count_of(x);
    const MPI_Count rows = columns && elements % columns == 0 ? elements / columns : -1;
    check(summand_column_sums(std::data(x), elements ? rows : 0, columns, std::data(y), columns,
                              datatype<element_of<Array>>(), SUMMAND_ROOT_ALL, comm, &o),
          e);
}

/** What a call reads: MPI_IN_PLACE if x is y. */
template <class Array, class Result> const void *source_of(const Array &x, const Result &y)
{
    return std::size(x) && std::data(x) == std::data(y) ? MPI_IN_PLACE : std::data(x);
}

/** One vector per rank, combined element by element, on all ranks. In place if x is y. */
template <class Array, class Result>
void allreduce(const Array &x, Result &&y, MPI_Op op, MPI_Comm comm, const options &o = {},
               error_to e = {})
{
    check(summand_allreduce_c(source_of(x, y), std::data(y), count_of(x, y),
                              datatype<element_of<Result>>(), op, comm, &o),
          e);
}
/** A plan of it. */
template <class Array, class Result>
plan allreduce_plan(const Array &x, Result &&y, MPI_Op op, MPI_Comm comm, const options &o = {})
{
    return plan(summand_allreduce_init_c, source_of(x, y), std::data(y), count_of(x, y),
                datatype<element_of<Result>>(), op, comm, &o);
}

/** An exact accumulator, local: threads may have one each, and += them in any order. C's functions
 *  take its address, such as summand_exact_round(&sum). */
struct exact : summand_exact {
    exact()
    {
        summand_exact_init(this);
    }
    /** Adds the elements of an array of doubles. */
    template <class Array> exact &add(const Array &x)
    {
        summand_exact_add(this, std::size(x), std::data(x));
        return *this;
    }
    exact &operator+=(const exact &other)
    {
        summand_exact_merge(this, &other);
        return *this;
    }
};
} // namespace summand
#endif
