/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured choices, as `summand tune` writes them and SUMMAND_TUNING names them.
 *
 * A file has lines of words; # begins a comment:
 *
 *   machine TEXT                               where it was measured; elsewhere it is not used
 *   model NAME = VALUE                         LogGP parameters of that machine, all or none
 *   COLLECTIVE RANKS BYTES ALGORITHM [promise=ordered|canonical] [NAME=VALUE...]
 *
 *   allreduce 8 64k-1m ring segment=8k
 *   reduce 64/16 4m- two-tree segment=32k promise=ordered
 *
 * RANKS: 8 are on one node; 64/16 are 64 with 16 on each node (1: each alone); 44/uneven are on
 * nodes of any sizes, or in no order (earlier files say 44/1 for these); a * stands for any number
 * in either place. BYTES are those of the whole vector: from 64k up to below 1m; 4m- has no end. A
 * line with a promise is for calls that ask for it. Of the lines that fit a call and can hold for
 * it the last one counts. Parameters are those of `summand list`; a segment is in bytes. */
#ifndef SUMMAND_SELECT_TUNING_H
#define SUMMAND_SELECT_TUNING_H

#include <stdint.h>

#include "model/model.h"
#include "select/choose.h"

/* In place of ranks per node: nodes of any sizes or order. */
#define SUMMAND__UNEVEN SIZE_MAX

struct summand__tuning_rule {
    enum summand__collective collective;
    int ranks;         /* 0: any */
    size_t node_size;  /* ranks per node, 1 to ranks; 0: any; or SUMMAND__UNEVEN */
    size_t least, end; /* bytes: [least, end); end SIZE_MAX: no end */
    unsigned promises; /* that a call must ask for */
    const struct summand__algorithm *algorithm;
    size_t parameter[SUMMAND__PARAMETERS]; /* 0: left open; the segment in bytes */
};

struct summand__tuning {
    char machine[512]; /* "": wherever it is used */
    bool has_model;
    struct summand__model model;
    struct summand__tuning_rule *rule;
    size_t rules, room;
    size_t left_out; /* lines with algorithms, parameters or models that are not known here */
    char left_out_why[200]; /* of the first of them */
};

/* Reads `length` bytes of text. False if it is no such file, with the reason in `fault`, or
 * where memory is lacking, with "" there; then nothing is in the tuning. */
bool summand__tuning_parse(struct summand__tuning *tuning, const char *text, size_t length,
                           char *fault, size_t room);
void summand__tuning_free(struct summand__tuning *tuning);

/* Whether some line of such a text is of a model. */
bool summand__tuning_has_model(const char *text, size_t length);

/* The measured choice for a call, parameters in schedule elements. `call` is that of the query.
 * False if there is none that can hold. */
bool summand__tuning_lookup(const struct summand__tuning *tuning,
                            const struct summand__query *query, const struct summand__call *call,
                            struct summand__choice *choice);

#endif
