/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a record: the one writer and the one parser. A record is a text file of one rank.
 *
 *     summand record 1
 *     rank 3 of 8
 *     program /usr/bin/app
 *     mpi Open MPI v4.1.4
 *     mode ordered
 *     communicator 2 size 4 rank 1 group 09f1c6d2a5e07b34 nth 0
 *     call 2 17 MPI_Allreduce 12 MPI_DOUBLE MPI_SUM - 5f0c91.. a9e1d7.. ring solve+0x1a4
 *     in 0.5 1.25
 *     out 2 5
 *     end 5120
 *
 * Fields are separated by one blank. A call has its communicator's number, its own number there
 * (from 0), name, count, datatype, operator, root, hash of its input and of its result
 * (record_hash.h), how it was served, and the address of its caller; "-" where there is none. Lines
 * are in the order of the calls' starts. "in" and "out" follow a call whose values are recorded.
 * "end" has the number of calls; a record without it is not whole. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_FIRST_LINE "summand record 1"

struct record_communicator {
    long long number; /* by order of first use on this rank */
    long long size, rank;
    uint64_t group; /* hash of its members' ranks in MPI_COMM_WORLD, in order */
    long long nth;  /* communicators of the same group before it */
};

struct record_hashed {
    bool there; /* false: none on this rank */
    uint64_t hash;
};

struct record_call {
    long long communicator, number;
    const char *name; /* "MPI_Allreduce" */
    long long count;
    const char *type, *op; /* op NULL: none */
    long long root;        /* -1: none */
    struct record_hashed input, result;
    const char *how;  /* the algorithm, or "mpi" */
    const char *site; /* "symbol+0x1a4" */
};

/* What a line of a record is. */
enum record_kind {
    RECORD_WRONG,
    RECORD_FIRST,
    RECORD_RANK,
    RECORD_TEXT, /* program, mpi, mode */
    RECORD_COMMUNICATOR,
    RECORD_CALL,
    RECORD_VALUES, /* in, out */
    RECORD_END
};

struct record_line {
    enum record_kind kind;
    struct {
        long long rank, ranks;
    } rank;
    struct record_communicator communicator;
    struct record_call call;
    const char *key, *text; /* of RECORD_TEXT and RECORD_VALUES */
    long long calls;        /* of RECORD_END */
    const char *wrong;      /* why the line is none */
};

enum { RECORD_LINE = 512 }; /* room for the line of a call or a communicator */

/* Writes a line with its end; returns its length, less than `room`. A blank or control character in
 * a name becomes '_', and a name that is too long loses its end. */
size_t record_print_communicator(char *to, size_t room, const struct record_communicator *c);
size_t record_print_call(char *to, size_t room, const struct record_call *call);

/* Parses a line without its end; splits `text` in place, and the result points into it. */
struct record_line record_parse(char *text);
