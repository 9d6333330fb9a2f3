/* SPDX-License-Identifier: BSD-3-Clause */
/* Which colour each method has, in all pictures. */
#pragma once

struct svg_method {
    const char *name;
    int colour; /* in the palette of svg_style.c, or any number above; other kinds of methods may
                   share it */
};

/* The last one has no name. */
extern const struct svg_method svg_methods[];

/* The row of a line's name: of the method itself ("chain"), of its blocking call ("exact-call"),
 * one of the MPI's ("mpi-reduce"), or with details behind it ("chain:segment=8k", "HPFLC root");
 * NULL if it is no method. */
const struct svg_method *svg_method_named(const char *name);

struct svg_series;

/* The style of one line, a method's with this colour, after those before it. A method beyond the
 * palette takes a colour again, with other marks and dashes; so do more lines of one method. A
 * call's are beside a plan's. */
void svg_method_look(struct svg_series *series, int which, int colour);
