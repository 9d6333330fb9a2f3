/* SPDX-License-Identifier: BSD-3-Clause */
/* What links over other links do alike: they hand it down. */
#pragma once

#include "transport/table.h"

/* The first member of such a link. */
struct summand__over {
    struct summand__link link; /* first */
    struct summand__link *lower;
};

/* Functions of a transport, and of its entry in a table. */
int summand__over_recv(struct summand__link *link, const struct summand__message *message);
bool summand__over_combines(const struct summand__link *link, int peer);
int summand__over_complete(struct summand__link *link, unsigned group, bool block, bool *done);
bool summand__over_progress(struct summand__link *link, bool *sending);
void summand__over_awaited(const struct summand__link *link, void (*each)(void *, int),
                           void *context);
void summand__over_set_datatype(struct summand__link *link, MPI_Datatype datatype);
void summand__over_set_tag(struct summand__link *link, int tag);
void summand__over_set_watch(struct summand__link *link, struct summand__watch *watch);

/* For entries that are summand__transport_over: of the table's transport below. */
bool summand__over_available(const struct summand__state *state);
unsigned summand__over_abilities(const struct summand__state *state);
void summand__over_abort(struct summand__state *state, int tag);
