/* SPDX-License-Identifier: BSD-3-Clause */
/* Closed-form times of calls on a machine model. They are near enough to the simulation of all
 * ranks (core/play) for the choice of an algorithm, at a millionth of its cost:
 * some multiplications per round.
 *
 * A call is cut into rounds in which similar ranks do similar work. A round's time follows from the
 * busiest rank and the busiest card. Estimates ignore ranks that drift apart, ragged ends and inner
 * roots. test/unit/test_estimate.c compares the estimates with the simulation. */
#pragma once

#include "algorithm/algorithm.h"
#include "model/model.h"
#include "shape/tree.h"

/* Messages of equal length that leave and arrive together. */
struct summand__burst {
    enum summand__reach reach;
    double sends, receives; /* of the busiest rank */
    double queue;           /* messages through the busiest card */
    double bytes;           /* of each message */
    bool exchange;          /* as many bytes go in the opposite direction through each card */
    bool waits;             /* for receivers, as messages longer than `eager` do in any case */
};

/* From the first send to the last receive, s. */
double summand__burst_time(const struct summand__model *model, const struct summand__burst *burst);

/* The reach of messages inside a range of so many ranks. */
enum summand__reach summand__reach_of(const struct summand__model *model, int span);

/* Every rank of each range of `span` of all `ranks`, such as that from `low` on, exchanges with
 * `partners` ranks, the nearest at `distance`, each further one `stride` farther away; the busiest
 * one sends to so many `more`. */
struct summand__encounter {
    int ranks, low, span, distance, stride;
    double partners, more, bytes;
};
/* The first rank under the last switch; 0 if there is one switch. */
int summand__border(const struct summand__model *model, int ranks);

double summand__encounter_time(const struct summand__model *model,
                               const struct summand__encounter *encounter);

/* Seconds to scatter and combine the pieces of a vector of `bytes` over all ranks, and to gather
 * them back; `holders` ranks have pieces in between. By merging neighbours (merge.h), and by one
 * message between any two (direct.c). */
struct summand__there_and_back {
    double scatter, gather;
};
struct summand__there_and_back summand__merge_time(const struct summand__model *model, int ranks,
                                                   int holders, double bytes);
struct summand__there_and_back summand__direct_time(const struct summand__model *model, int ranks,
                                                    int holders, double bytes);

/* Bytes that stay in a processor's own cache: they take the time of copies. */
enum { SUMMAND__CACHED = 2 << 20 };

/* Seconds of a product or copy on one processor: the longer of its operations and of its bytes read
 * or written. `single`: floats, two of which take the time of a double.
 */
double summand__work_time(const struct summand__model *model, double flops, double bytes,
                          bool single);

/* Segments that flow through a tree, or through `trees` at once over the same ranks. */
struct summand__stream {
    const struct summand__tree *tree;
    int trees;
    int exchange; /* the root exchanges each segment with that of a tree over the rest of so many
                     ranks; 0: it does not */
    bool up, down;
    double segments, segment; /* of each tree: number of segments, and bytes of one */
};
double summand__stream_time(const struct summand__model *model,
                            const struct summand__stream *stream);

/* The same for the call's collective and segments with `count` elements in each tree. */
double summand__stream_estimate(const struct summand__call *call, size_t count, size_t element,
                                const struct summand__model *model, struct summand__stream *stream);

/* The network as each of `leaders` ranks per node sees it: it has that part of its node's card. */
struct summand__model summand__between_nodes(const struct summand__model *model, int leaders);
