/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripted faults: the option --faults of `summand gossip run`. */
#pragma once

#include "lab/gossip/script.h"

/* `text`: the faults, or a file of them; NULL: none. Each is a list of rank=R, to=R, variable=V,
 * component=C, bit=B+B..., after=M, burst=K, both; ';' or end of line separates faults, and '#'
 * begins a remark. The caller frees the script. Returns false after a complaint. */
bool gossip_read_script(const char *command, const char *text, struct summand__scripted **script,
                        int *count);
