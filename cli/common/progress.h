/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a long command is: a bar on a terminal; lines where a launcher carries stderr to one;
 * nothing elsewhere. The first second is silent. */
#ifndef SUMMAND_CLI_COMMON_PROGRESS_H
#define SUMMAND_CLI_COMMON_PROGRESS_H

/* `done` of `total`, in any unit; done >= total ends it. May be called by several threads. Of
 * several ranks, rank 0 shows. */
void progress_show(const char *what, double done, double total);

#endif
