/* SPDX-License-Identifier: BSD-3-Clause */
/* The faults of the options and of the environment variable SUMMAND_FAULT, in one list. */
#pragma once

#include <summand/gossip_faults.h>

struct summand__fault_list {
    summand_gossip_faults all; /* target of the options' pointer */
    summand_gossip_fault *fault;
};

/* Puts the list into the options; an error code if the environment's value is invalid. */
int summand__fault_list_make(struct summand__fault_list *list, summand_gossip_options *options);
void summand__fault_list_free(struct summand__fault_list *list);
