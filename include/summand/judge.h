/* SPDX-License-Identifier: BSD-3-Clause */
/* A judge of sums: does somebody's sum depend on the number of processes, on the order of the
 * terms, or on the run; how far is it from the exact sum; does it keep NaN and infinities? Needs no
 * MPI. `summand judge` asks the same of a program.
 *
 *     static double mine(size_t parts, const size_t counts[], const double x[], void *of)
 *     {
 *         double all = 0;
 *         for (size_t p = 0; p < parts; x += counts[p++])
 *             all += my_sum(counts[p], x);
 *         return all;
 *     }
 *     ...
 *     summand_judge_report *report;
 *     if (summand_judge(mine, NULL, 0, &report) == 0 && report->faults & SUMMAND_JUDGE_PARTS)
 *         summand_judge_print(report, stdout);
 *     summand_judge_free(&report);
 *
 * The data break sums: terms that cancel to the last bit, 10 to 600 decades, ties, subnormal
 * numbers, overflow on the way, infinities, NaN, -0.0, one huge term, alternating signs,
 * log-likelihoods, fill values, integers near 2^53. Every machine makes the same ones.
 *
 * All calls are local. */
#ifndef SUMMAND_JUDGE_H
#define SUMMAND_JUDGE_H

#include <stddef.h>
#include <stdio.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A sum to be judged.
 *  @param parts number of parts, one for each process that the sum would run on
 *  @param counts terms of each part, zero included
 *  @param x the terms of the parts, one part behind the other
 *  @param of what the caller of summand_judge gave
 *  @return the sum of all terms */
typedef double (*summand_judge_sum)(size_t parts, const size_t counts[], const double x[],
                                    void *of);

/** What can be wrong with a sum; flags. */
enum summand_judge_fault {
    SUMMAND_JUDGE_PARTS = 1,      /**< the bits depend on the number of parts */
    SUMMAND_JUDGE_ORDER = 2,      /**< they depend on the order of the terms */
    SUMMAND_JUDGE_REPETITION = 4, /**< a second run gave other bits */
    SUMMAND_JUDGE_SPECIAL = 8,    /**< a NaN or an infinity was lost, or came from finite terms
                                       whose sum is finite */
    SUMMAND_JUDGE_ROUNDING = 16,  /**< a result is not the exact sum, rounded once */
    SUMMAND_JUDGE_FAILED = 32     /**< a program gave no result; never of a function */
};

/** How the terms of a case are ordered. */
enum summand_judge_order {
    SUMMAND_JUDGE_AS_MADE,
    SUMMAND_JUDGE_REVERSED,
    SUMMAND_JUDGE_SHUFFLED,
    SUMMAND_JUDGE_DEALT, /**< to parts in turn, like cards */
    SUMMAND_JUDGE_BY_SIZE,
    SUMMAND_JUDGE_ORDERS
};

/** One way to run a sum, and what came out. */
struct summand_judge_case {
    size_t parts;
    enum summand_judge_order order;
    double result;
};

/** The verdict on one data set. */
struct summand_judge_verdict {
    const char *data; /**< its name */
    const char *what; /**< what is hard about it, in a few words */
    size_t terms;
    double exact;                   /**< the exact sum, rounded once to nearest even */
    unsigned faults;                /**< flags of enum summand_judge_fault */
    int cases, results;             /**< how often the sum ran; how many different bits came out */
    double ulps_median, ulps_worst; /**< distances from the exact sum, in units of the last place of
                                         `exact`; infinite for a wrong special value */
};

/** A small example of a fault: few terms that two cases add up differently. */
struct summand_judge_witness {
    size_t terms;     /**< 0: there is none */
    double *x;        /**< the terms as made: the cases say how to order them */
    const char *data; /**< the data set that they are from */
    struct summand_judge_case pair[2];
};

/** The faults that have a witness: PARTS, ORDER and REPETITION, in this order. */
enum { SUMMAND_JUDGE_WITNESSES = 3 };

/** The verdict on a sum. */
typedef struct summand_judge_report {
    int verdicts; /**< number of data sets */
    struct summand_judge_verdict *verdict;
    unsigned faults; /**< of all data sets together */
    /** From the first data set that shows the fault. */
    struct summand_judge_witness witness[SUMMAND_JUDGE_WITNESSES];
    double ratio; /**< time beside a plain loop on 10^5 terms in one part, median of 9 pairs */
} summand_judge_report;

/** Judges a sum: some 15 runs for each data set, and up to 400 more to make a witness small.
 *  @param sum the sum
 *  @param of handed to it
 *  @param terms terms of a data set; 0: 1000, 1 to 3: 4
 *  @param report [out] to be freed by summand_judge_free; NULL after an error
 *  @return 0; -1 when out of memory */
SUMMAND_API int summand_judge(summand_judge_sum sum, void *of, size_t terms,
                              summand_judge_report **report);

/** Prints a table, a sentence for each fault, and the smallest witness of each kind of fault.
 *  @param out where to */
SUMMAND_API void summand_judge_print(const summand_judge_report *report, FILE *out);

/** Frees a report and sets it to NULL; does nothing if it is NULL. */
SUMMAND_API void summand_judge_free(summand_judge_report **report);

/** "as made", "reversed", ... */
SUMMAND_API const char *summand_judge_order_name(enum summand_judge_order order);

/** A sentence for one fault. */
SUMMAND_API const char *summand_judge_fault_text(enum summand_judge_fault fault);

#ifdef __cplusplus
}
#endif
#endif
