/* SPDX-License-Identifier: BSD-3-Clause */
/* The arguments that must agree on all ranks, and how a message names them. */
#include <stdio.h>
#include <string.h>

#include "outer/mpi/outer.h"
#include "plan/options.h"

/* The names of the set bits, the highest first: "list_a and list_b". */
static size_t say_flags(int64_t value, int n, const char *const *names, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < n && used < room; i++)
        if (value >> (n - 1 - i) & 1)
            used +=
                (size_t)snprintf(text + used, room - used, "%s%s", used ? " and " : "", names[i]);
    return used ? used : (size_t)snprintf(text, room, "none");
}

/* One number of each matrix. */
struct number {
    const char *name;
    MPI_Count (*of)(const summand_outer_matrix *matrix);
};

static MPI_Count rows_of(const summand_outer_matrix *matrix)
{
    return matrix->rows;
}

static MPI_Count columns_of(const summand_outer_matrix *matrix)
{
    return matrix->columns;
}

static MPI_Count form_of(const summand_outer_matrix *matrix)
{
    return !!matrix->symmetric << 3 | !!matrix->list_a << 2 | !!matrix->list_b << 1 |
           !!matrix->compressed;
}

static const struct number numbers[] = {{"rows (N)", rows_of},
                                        {"columns (M)", columns_of},
                                        {"symmetric, list_a, list_b, compressed", form_of}};

/* "100, 200, 300": the numbers of as many matrices as fit. */
static void say_numbers(const struct summand__argument *argument, char *text, size_t room)
{
    static const char *const forms[] = {"symmetric", "list_a", "list_b", "compressed"};
    const struct summand__outer_arguments *arguments = argument->of;
    const struct number *number = numbers;
    size_t used = 0;
    while (strcmp(number->name, argument->name) != 0)
        number++;
    snprintf(text, room, "none");
    for (int m = 0; m < arguments->n && used < room; m++) {
        const MPI_Count value = number->of(&arguments->matrices[m]);
        used += (size_t)snprintf(text + used, room - used, "%s", m ? ", " : "");
        if (used < room && number->of == form_of)
            used += say_flags(value, 4, forms, text + used, room - used);
        else if (used < room)
            used += (size_t)snprintf(text + used, room - used, "%lld", (long long)value);
    }
}

static void sign_said(struct summand__signature *signature, const char *name, int64_t value,
                      void (*say)(const struct summand__argument *, char *, size_t), const void *of)
{
    struct summand__argument *argument = summand__sign_number(signature, name, value);
    argument->say = say;
    argument->of = of;
}

static void sign_shapes(const struct summand__outer_arguments *arguments,
                        struct summand__signature *signature)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t value = 0;
        for (int m = 0; m < arguments->n; m++)
            value = summand__sign_mix(value, numbers[i].of(&arguments->matrices[m]));
        sign_said(signature, numbers[i].name, value, say_numbers, arguments);
    }
}

static void say_grid(const struct summand__argument *argument, char *text, size_t room)
{
    const summand_outer_options *o = argument->of;
    snprintf(text, room, "%d x %d", o->grid_rows, o->grid_columns);
}

/* "SUMMAND_PROMISE_SAME and tile" */
static void say_modes(const struct summand__argument *argument, char *text, size_t room)
{
    static const char *const words[] = {"replicated", "tile"};
    const int modes = (int)(argument->value & 3);
    const char *promise = summand__promise_name((enum summand_promise)(argument->value >> 2));
    const size_t used = (size_t)snprintf(text, room, "%s%s", promise, modes ? " and " : "");
    if (modes && used < room)
        say_flags(modes, 2, words, text + used, room - used);
}

/* Promises that the call keeps in the same way count as one. */
static enum summand_promise promise_of(const summand_outer_options *options)
{
    return summand__outer_any_order(options) ? options->promise : SUMMAND_PROMISE_INDEX;
}

/* In the order of the structure, from `segment` on. */
static void say_inside(const struct summand__argument *argument, char *text, size_t room)
{
    const summand_options *i = argument->of;
    snprintf(text, room, "{%lld, %d, %d, %d, %d}", (long long)i->segment, i->radix, i->node_size,
             i->leaders, i->radix_between);
}

void summand__outer_sign(const struct summand__outer_arguments *arguments,
                         struct summand__signature *signature, const char *call)
{
    static const char *const names[] = {[SUMMAND__OUTER_F64] = "MPI_DOUBLE",
                                        [SUMMAND__OUTER_F32] = "MPI_FLOAT",
                                        [SUMMAND__OUTER_BF16] = "summand_bfloat16",
                                        [SUMMAND__OUTER_F16] = "summand_float16"};
    const summand_outer_options *o = &arguments->options;
    const summand_options *i = &o->inside;
    int64_t parameters = 0;
    parameters = summand__sign_mix(parameters, i->segment);
    parameters = summand__sign_mix(parameters, i->radix);
    parameters = summand__sign_mix(parameters, i->node_size);
    parameters = summand__sign_mix(parameters, i->leaders);
    parameters = summand__sign_mix(parameters, i->radix_between);
    summand__sign_call(signature, call);
    summand__sign_word(signature, "datatype", names[arguments->type]);
    summand__sign_number(signature, "n", arguments->n);
    sign_shapes(arguments, signature);
    summand__sign_number(signature, "pairs of each matrix",
                         arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX);
    summand__sign_number(signature, "options.result", o->result);
    summand__sign_number(signature, "root", arguments->root);
    sign_said(signature, "options.grid_rows x grid_columns",
              summand__sign_mix(o->grid_rows, o->grid_columns), say_grid, o);
    summand__sign_real(signature, "alpha", arguments->alpha);
    summand__sign_real(signature, "beta", arguments->beta);
    sign_said(signature, "options.promise, options.replicated, options.tile",
              promise_of(o) << 2 | !!o->replicated << 1 | !!o->tile, say_modes, NULL);
    summand__sign_word(signature, "options.algorithm", o->algorithm);
    summand__sign_word(signature, "options.inside.algorithm", i->algorithm);
    sign_said(signature, "options.inside.{segment, radix, node_size, leaders, radix_between}",
              parameters, say_inside, i);
}
