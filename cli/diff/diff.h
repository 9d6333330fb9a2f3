/* SPDX-License-Identifier: BSD-3-Clause */
/* The comparison of two recorded runs. */
#pragma once

#include "cli/diff/run.h"
#include "cli/output/json.h"

#define DIFF "diff"
#define RECORD_FILE "rank-%05d.txt"

/* How two records of one call differ, the gravest first. */
enum difference {
    SAME,
    RESULTS_DIFFER, /* the inputs are equal */
    INPUTS_DIFFER,
    CALLS_DIFFER, /* other call, count, datatype, operator or root */
    CALL_MISSING  /* one run has no such call */
};

/* The name of a collective call that all of its ranks share. */
struct call_name {
    struct record_communicator communicator; /* its number and rank are those of this rank */
    long long number;
};
bool call_name_equal(const struct call_name *a, const struct call_name *b);

/* Calls by name, each kept once. */
struct named_calls {
    struct named_call {
        struct call_name name;
        bool used;
        /* Of a comparison: on some rank the call or its input differs, or a run has no record; and
         * the ranks on which the result alone differs. */
        bool parted;
        long long results;
        /* Of a play (first.c): ranks that have come, and the time of the last one. */
        bool over;
        long long here, time;
    } * slot;
    size_t slots, count;
};
/* The call of this name, new if there is none. The next one may move it. */
struct named_call *named_call(struct named_calls *calls, const struct call_name *name);
void named_calls_free(struct named_calls *calls);

/* Calls that one run alone makes, by caller. */
struct unmatched {
    struct unmatched_row {
        const char *name, *site; /* kept texts */
        long long calls[2];
    } * row;
    int rows;
    long long calls[2];
};
void unmatched_add(struct unmatched *unmatched, int run, const struct record_call *call,
                   long long calls);
void unmatched_print(struct unmatched *unmatched);
/* {"a": calls[0], "b": calls[1]} */
json_t *counts_json(const long long calls[2]);
json_t *unmatched_json(const struct unmatched *unmatched);
void unmatched_free(struct unmatched *unmatched);

/* What the comparison of one rank finds. */
struct rank_difference {
    enum difference kind; /* of the first call that differs, in the order of run A */
    struct call_name first;
    long long position;         /* calls before it on this rank, in run A */
    long long compared, inputs; /* calls that both runs have; those with another input */
    bool whole[2];
    long long calls[2];
    long long beyond[2]; /* calls that the other run may have had after its record ends */
};

/* How two records of a call differ; NULL: the run has none. */
enum difference compare_calls(const struct record_call *a, const struct record_call *b);
/* Compares a rank of two runs on the same number of ranks. Notes what differs for all ranks in
 * `calls` and `unmatched`. */
void compare_rank(const struct rank_record *a, const struct rank_record *b,
                  struct rank_difference *difference, struct named_calls *calls,
                  struct unmatched *unmatched);
/* The record of this call; NULL: none. */
struct kept_call *find_call(const struct rank_record *record, const struct call_name *name);

/* Among the ranks' first differences the one that no other precedes: the rank, or -1 if there is
 * none, or -2 after a complaint. */
int first_of_all(const struct run *a, const struct rank_difference *differences);

/* The first difference over all ranks. */
struct verdict {
    enum difference kind;
    struct call_name name;
    const char *mode[2]; /* of the runs, "" if not recorded */
    int ranks;           /* members whose records of the call are here */
    struct verdict_rank {
        int rank; /* in MPI_COMM_WORLD */
        bool in[2];
        struct record_call call[2];
        char *values_in[2], *values_out[2]; /* or NULL */
        enum difference kind;
    } * rank;
};
/* Gathers the records of the call on all of its ranks. Returns false after a complaint. */
bool verdict_make(const struct run *a, const struct run *b, const struct call_name *name,
                  struct verdict *verdict);
void verdict_free(struct verdict *verdict);

/* One sentence, in `text`. */
void verdict_sentence(const struct verdict *verdict, char *text, size_t room);
void verdict_print(const struct verdict *verdict);
/* What the runs are. */
void print_runs(const struct run *a, const struct run *b);
json_t *run_json(const struct run *run);
json_t *verdict_json(const struct verdict *verdict);

/* Two lists of values, as text. */
struct value_pair {
    long long element;
    const char *a, *b;
    double ulps; /* of a's type; NaN: not floating-point numbers, or not both finite */
};
enum { VALUE_PAIRS = 8 };
/* Compares values; fills the first pairs that differ. Returns the number of differing values, and
 * their total in `count`; -1: they cannot be compared. Splits both texts in place. */
long long values_compare(char *a, char *b, const char *type, long long *count,
                         struct value_pair pairs[VALUE_PAIRS], int *kept);

/* "12 doubles" */
void words_of_count(long long count, const char *type, char *text, size_t room);
/* True if the type's numbers are floating-point ones. */
bool is_floating(const char *type);

/* Runs on different numbers of ranks: results alone, by call site. Returns the exit status. */
int compare_results(const struct run runs[2], bool json);
