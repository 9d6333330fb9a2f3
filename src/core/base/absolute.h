/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths that stay right when a program changes its working directory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The absolute form of a path, which need not exist. False: it is too long, or the working
 * directory is gone; see errno. */
bool summand__absolute(const char *path, char *whole, size_t room);
