/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress of a long command, on standard error: a bar on a terminal; lines if the terminal is dumb
 * (TERM) or a launcher carries stderr to one; nothing elsewhere. Nothing appears in the first
 * second of a stretch of work. */
#pragma once

/* Seconds until a bar appears; a test sets it to 0. */
extern double progress_silence;

/* Shows `done` of `total`, in any unit; done >= total ends it. Work that goes on within a second,
 * perhaps with another name, is of the same stretch. Several threads may call it. Only rank 0
 * shows. */
void progress_show(const char *what, double done, double total);

/* Takes a bar off the screen: call it before other text is printed. The next progress_show brings
 * it back. */
void progress_hide(void);
