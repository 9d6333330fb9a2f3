/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of an MPI without its header: each argument is a word. */
#pragma once

#include "names.h"

typedef long word;

#define TAKE_0 void
#define TAKE_1 word a
#define TAKE_2 TAKE_1, word b
#define TAKE_3 TAKE_2, word c
#define TAKE_4 TAKE_3, word d
#define TAKE_5 TAKE_4, word e
#define TAKE_6 TAKE_5, word f
#define TAKE_7 TAKE_6, word g
#define TAKE_8 TAKE_7, word h
#define TAKE_9 TAKE_8, word i
#define TAKE_10 TAKE_9, word j
#define TAKE_11 TAKE_10, word k
#define TAKE_12 TAKE_11, word l
#define TAKE_13 TAKE_12, word m
#define GIVE_0
#define GIVE_1 a
#define GIVE_2 GIVE_1, b
#define GIVE_3 GIVE_2, c
#define GIVE_4 GIVE_3, d
#define GIVE_5 GIVE_4, e
#define GIVE_6 GIVE_5, f
#define GIVE_7 GIVE_6, g
#define GIVE_8 GIVE_7, h
#define GIVE_9 GIVE_8, i
#define GIVE_10 GIVE_9, j
#define GIVE_11 GIVE_10, k
#define GIVE_12 GIVE_11, l
#define GIVE_13 GIVE_12, m

extern struct shim_slot slots[SHIM_AT_COUNT];
/* stand_in.c: fills in what this MPI lacks and others have, where it has another name for it. */
void stand_in(void *mpi);
