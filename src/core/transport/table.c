/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/table.h"

/* `p2p` is last: it reaches all ranks, also those that the others reach. */
const struct summand__transport_entry *const summand__transports[] = {
    &summand__shm_transport, &summand__mixed_transport, &summand__p2p_transport, NULL};

const struct summand__transport_entry *summand__transport_over;

const struct summand__transport_entry *summand__transport_for(const struct summand__state *state)
{
    return summand__transport_over ? summand__transport_over : summand__transport_below(state);
}

const struct summand__transport_entry *summand__transport_below(const struct summand__state *state)
{
    const struct summand__transport_entry *const *entry = summand__transports;
    while (!(*entry)->available(state))
        entry++;
    return *entry;
}

void summand__link_set_watch(struct summand__link *link, struct summand__watch *watch)
{
    link->wait.watch = watch;
}
