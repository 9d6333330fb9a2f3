/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of `summand gossip`. */
#pragma once

#include "cli/common/cli.h"

/* The subcommands are commands of their own, named "gossip topology" and so on. */
extern const struct command gossip_list, gossip_topology, gossip_run, gossip_allreduce;

/* A bar on stderr, after the first second and only on a terminal. Several threads may call it. */
void gossip_progress(const char *what, double done, double total);
/* Seconds since some point in the past. */
double gossip_clock(void);

struct summand__duration;
/* Reads "1", "0.5..1.5" or "exp:1" of the command's --option; returns false after a complaint. */
bool gossip_duration(const char *command, const char *option, const char *text,
                     struct summand__duration *duration);
