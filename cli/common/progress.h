/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a long command: a bar on a terminal; lines if a launcher carries stderr to one;
 * nothing elsewhere. Nothing appears in the first second. */
#ifndef SUMMAND_CLI_COMMON_PROGRESS_H
#define SUMMAND_CLI_COMMON_PROGRESS_H

/* Shows `done` of `total`, in any unit; done >= total ends it. Several threads may call it. Only
 * rank 0 shows. */
void progress_show(const char *what, double done, double total);

#endif
