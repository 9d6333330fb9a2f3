/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees in the estimates: the longest path of one segment, and the busiest rank and card. */
#pragma once

#include "algorithm/estimate.h"

/* The work of the busiest rank and card for each segment on its way up; down is the mirror
 * image. */
struct summand__load {
    double children; /* of a rank */
    double near;     /* of these in its own node, through its own card */
    double between;  /* messages into a node's card, or into a rank's if cards are not shared */
    double parent;   /* 1: a rank with so many children also has a parent; 0: only the root has so
                        many; or between, in the mean of several trees */
};

/* The longest way of one segment, and the loads. */
struct summand__way {
    double up, down;
    double near_up, near_down; /* of these in nodes */
    struct summand__load load;
};

/* One level of machines, or one of two. */
struct summand__plant {
    const struct summand__model *model;
    const struct summand__tree_shape *shape;
    int radix, ranks, root;
    bool up, down;   /* the requested directions */
    bool slots;      /* goes by segments */
    double bytes;    /* of a segment */
    double combined; /* s per segment combined */
    double inside;   /* children in its machine of a rank that leads one */
    double times;    /* trees that all have the same ranks for inner nodes */
    double together; /* segments under way that share an even card */
    double back;     /* messages up, of a segment, that share a card with those down */
};

/* The way through a tree, or through so many at once over the same ranks. Two levels are one tree:
 * a leader's children in its machine are done before others arrive. */
struct summand__way summand__way_of(const struct summand__plant *whole,
                                    const struct summand__tree *tree, int trees);

/* True if messages wait for their receivers because they are short segments of many. */
bool summand__paced(const struct summand__plant *plant);

/* When the first of `together` segments completes, if they share a card evenly. `busy`: the time
 * that each alone takes there; `apart`: from the begin of one segment to that of the next. */
double summand__shared(double together, double busy, double apart);
