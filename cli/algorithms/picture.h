/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of an algorithm's schedules: its tree, the exchanges of each round, or a time line. */
#pragma once

#include <stdio.h>

#include "cli/algorithms/hiding.h"
#include "cli/output/json.h"
#include "cli/tune/comparison.h"
#include "lab/sample/sample.h"

enum { PICTURE_MOST_RANKS = 512, PICTURE_MOST_ELEMENTS = 64 /* of an index tree */ };

/* One message. */
struct picture_message {
    int from, to;
    double begin, end; /* rounds: all integers */
    size_t elements;
};

struct picture {
    const struct comparison_setup *setup; /* uses its first rank count and element count */
    const struct summand__algorithm *algorithm;
    int ranks;
    double rounds;
    size_t count;
    struct picture_message *messages;
};

/* An edge of a tree, from a rank to its parent, with the rounds of its first and last messages. */
struct picture_edge {
    int parent; /* -1: the root, or unknown so far */
    int depth;
    double up_first, up_last, down_first, down_last; /* 0: none */
};

/* Draws the tree, or the exchanges if the messages form no tree; and a time line, with its overlap.
 * Return false after writing a sentence to fault. */
bool picture_structure(const struct comparison_setup *setup,
                       const struct summand__algorithm *algorithm, FILE *out, char fault[256]);
bool picture_timeline(const struct comparison_setup *setup,
                      const struct summand__algorithm *algorithm, FILE *out, struct hiding *hiding,
                      char fault[256]);
/* A sample of usual size on the setup's ranks and model. */
bool picture_sample(const struct comparison_setup *setup, const struct summand__sample *sample,
                    FILE *out, char fault[256]);

/* The index tree of 1 to PICTURE_MOST_ELEMENTS elements, spread evenly over the ranks; as JSON its
 * nodes, each with the rank that computes it and that of its right half. False and NULL: out of
 * memory. */
bool picture_index_tree(int ranks, int elements, FILE *out);
json_t *picture_index_tree_json(int ranks, int elements);

/* Fills one edge per rank if the messages form a tree. */
bool picture_find_tree(const struct picture *picture, struct picture_edge *edges);
void picture_tree(const struct picture *picture, const struct picture_edge *edges, FILE *out);
void picture_exchange(const struct picture *picture, FILE *out);

/* For trees wider than a page: the root on the left, a row per rank. */
void picture_sideways_size(int ranks, double *width, double *height);
void picture_sideways(const struct picture_edge *edges, int ranks, int depth, FILE *out);
/* "", "3" or "3-7" */
void picture_rounds_text(char *text, size_t room, double first, double last);
/* For exchanges of many ranks: a square of senders and receivers per round. */
void picture_matrix(const struct picture *picture, const char *title, const char *note, FILE *out);

/* The same data as an array: of messages, or of spans of processors and wires. NULL with a
 * fault. */
json_t *picture_json(const struct comparison_setup *setup,
                     const struct summand__algorithm *algorithm, char fault[256]);
json_t *picture_timeline_json(const struct comparison_setup *setup,
                              const struct summand__algorithm *algorithm, struct hiding *hiding,
                              char fault[256]);

/* The element count of a time line. For an outer product, the side of its matrix. */
long long picture_time_count(enum summand__collective collective);

/* "vectors of 12 elements per block"; for products "matrices of 4 x 4 elements" */
void picture_count_text(const struct comparison_setup *setup, char *text, size_t room);

/* The unit of message sizes: "element", or for products "byte". */
const char *picture_unit(enum summand__collective collective);

/* "binomial reduce, 12 ranks, root 0, radix=4"; "outer-gather, 4 ranks" */
void picture_title(const struct comparison_setup *setup, const struct summand__algorithm *algorithm,
                   char *title, size_t room);
