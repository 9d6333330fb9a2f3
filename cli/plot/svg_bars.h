/* SPDX-License-Identifier: BSD-3-Clause */
/* Bars in place of curves of one point: a part of svg_chart. */
#pragma once

#include "cli/plot/svg.h"

/* All but the title. */
void svg_bars(FILE *out, const struct svg_chart *chart);
