/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of manual pages, in roff. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cli/output/output.h"

/* Opens DIRECTORY/manSECTION/NAME.SECTION, whose folder is made. Returns false after a complaint.
 */
bool roff_open(struct output *output, const char *directory, const char *name, int section);

/* Text for roff: no requests, and dashes that can be copied. */
void roff_text(FILE *page, const char *words);

/* The page's name, its section and one line about it. */
void roff_heading(FILE *page, const char *name, int section, const char *summary);
void roff_section(FILE *page, const char *name, const char *words);
void roff_tagged(FILE *page, const char *tag, const char *words);
/* Lines as they are. */
void roff_lines(FILE *page, const char *lines);

/* The text of a comment of our headers: paragraphs, lists with "- ", code that is indented by four
 * columns, @param and @return. */
void roff_comment(FILE *page, const char *words);

/* The pages of section 3, one for each header in the folder (manual_calls.c). */
bool manual_calls(const char *directory, const char *headers);
