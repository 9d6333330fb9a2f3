/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's table of settings, as text for people. */
#pragma once

#include <stddef.h>
#include <summand/info.h>

enum { VARIABLE_ROOM = 700 };

/* When the library reads the setting: "once in a process", ... */
const char *variable_when(const summand_setting *setting);

/* "allowed: meaning. Unset: standard. Read once in a process." */
void variable_words(const summand_setting *setting, char text[VARIABLE_ROOM]);
