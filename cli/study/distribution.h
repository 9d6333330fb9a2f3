/* SPDX-License-Identifier: BSD-3-Clause */
/* The calculations of `summand distribution`, and its picture and data over N. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lab/index_tree/distribution.h"
#include "lab/index_tree/outbound.h"

struct distribution_request {
    int ranks;
    uint64_t n;
    double alpha;
    double t_send, t_add; /* seconds */
    struct summand__outbound_rule rule;
    uint64_t max_n;   /* of the picture */
    uint64_t samples; /* in the picture: at most this number of values of N */
};

/* One value of N of the sweep. */
struct distribution_sample {
    uint64_t n;
    uint64_t messages[SUMMAND__DISTRIBUTIONS];
    double bound;
};

/* Counts messages for N = 1 .. max_n, or for at most about `samples` of them. The caller frees
 * *list. Returns their number, 0 when out of memory. */
int distribution_sweep(const struct distribution_request *request,
                       struct distribution_sample **list);

/* Returns false after a complaint. */
bool distribution_csv(const char *path, const struct distribution_sample *list, int count);
bool distribution_svg(const char *path, const struct distribution_request *request,
                      const struct distribution_sample *list, int count);
/* The elements of the ranks, figure 3.5. */
bool distribution_shares(const char *path, const struct distribution_request *request);
