/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured choices, as `summand tune` writes them and SUMMAND_TUNING names them.
 *
 * A file has lines of words; # begins a comment:
 *
 *   machine TEXT                               where it was measured; not used elsewhere
 *   model NAME = VALUE                         LogGP parameters of that machine, all or none
 *   COLLECTIVE RANKS BYTES ALGORITHM [promise=ordered|canonical] [nodes=runs] [NAME=VALUE...]
 *
 *   allreduce 8 64k-1m ring segment=8k
 *   reduce 64/16 4m- two-tree segment=32k promise=ordered
 *
 * RANKS: 8 are on one node; 64/16 are 64 with 16 on each node (64/1: one on each); 44/uneven are on
 * nodes of any sizes, or in no order (earlier files say 44/1 for these). A * stands for any number
 * in either place. BYTES are those of the whole vector: 64k-1m is from 64k up to below 1m; 4m- has
 * no end. A line with a promise applies to calls that ask for it. With nodes=runs
 * the parts of nodes are runs of consecutive ranks, where nodes are in no order. The last line that
 * fits a call, and whose algorithm can do it, is used. Parameters are those of `summand list`; a
 * segment is in bytes. */
#pragma once

#include <stdint.h>

#include "model/model.h"
#include "select/choose.h"

/* Instead of ranks per node: nodes of any sizes or order. */
#define SUMMAND__UNEVEN SIZE_MAX

struct summand__tuning_rule {
    enum summand__collective collective;
    int ranks;         /* 0: any */
    size_t node_size;  /* ranks per node, 1 to ranks; 0: any; or SUMMAND__UNEVEN */
    size_t least, end; /* bytes: [least, end); end SIZE_MAX: no end */
    unsigned promises; /* a call must ask for these */
    const struct summand__algorithm *algorithm;
    size_t parameter[SUMMAND__PARAMETERS]; /* 0: open; the segment in bytes */
    bool runs;                             /* as in struct summand__choice */
};

struct summand__tuning {
    char machine[512]; /* "": any machine */
    bool has_model;
    struct summand__model model;
    struct summand__tuning_rule *rule;
    size_t rules, room;
    size_t left_out;        /* lines with unknown algorithms, parameters or model parameters */
    char left_out_why[200]; /* reason for the first of them */
};

/* Reads `length` bytes of text. False if it is damaged, with the reason in `fault`, or when out of
 * memory, with "" there; the tuning is then empty. */
bool summand__tuning_parse(struct summand__tuning *tuning, const char *text, size_t length,
                           char *fault, size_t room);
void summand__tuning_free(struct summand__tuning *tuning);

/* True if any line of the text belongs to a model. */
bool summand__tuning_has_model(const char *text, size_t length);

/* The measured choice for a call, parameters in schedule elements. `call`: the query's. False if no
 * line fits. */
bool summand__tuning_lookup(const struct summand__tuning *tuning,
                            const struct summand__query *query, const struct summand__call *call,
                            struct summand__choice *choice);
