/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults by a script: the option --faults of `summand gossip run`. */
#ifndef SUMMAND_CLI_GOSSIP_GOSSIP_SCRIPT_H
#define SUMMAND_CLI_GOSSIP_GOSSIP_SCRIPT_H

#include "lab/gossip/script.h"

/* `text`: the faults, or a file of them; NULL: none. Each is a list of rank=R, to=R, variable=V,
 * component=C, bit=B+B..., after=M, burst=K, both; they are separated by ';' or end of line, and
 * '#' begins a remark. To be freed. False after saying what is wrong. */
bool gossip_read_script(const char *command, const char *text, struct summand__scripted **script,
                        int *count);

#endif
