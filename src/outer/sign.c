/* What must be alike on all ranks, and how a message says it. */
#include <stdio.h>
#include <string.h>

#include "outer/outer.h"

/* The names of the bits that are set, the highest first: "list_a and list_b". */
static size_t say_flags(int64_t value, int n, const char *const *names, char *text, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < n && used < room; i++)
        if (value >> (n - 1 - i) & 1)
            used +=
                (size_t)snprintf(text + used, room - used, "%s%s", used ? " and " : "", names[i]);
    return used ? used : (size_t)snprintf(text, room, "none");
}

/* One of the numbers that each matrix has. */
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

/* "100, 200, 300", of as many matrices as there is room for. */
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

static void say_order(const struct summand__argument *argument, char *text, size_t room)
{
    static const char *const words[] = {"replicated", "any_order", "any_bits", "tile"};
    say_flags(argument->value, 4, words, text, room);
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
    const summand_outer_options *o = &arguments->options;
    const summand_options *i = &o->inside;
    int64_t parameters = 0;
    parameters = summand__sign_mix(parameters, i->segment);
    parameters = summand__sign_mix(parameters, i->radix);
    parameters = summand__sign_mix(parameters, i->node_size);
    parameters = summand__sign_mix(parameters, i->leaders);
    parameters = summand__sign_mix(parameters, i->radix_between);
    summand__sign_call(signature, call);
    summand__sign_number(signature, "type", arguments->type);
    summand__sign_number(signature, "n", arguments->n);
    sign_shapes(arguments, signature);
    summand__sign_number(signature, "pairs of each matrix",
                         arguments->pairs == SUMMAND_OUTER_PAIRS_OF_MATRIX);
    summand__sign_number(signature, "options.result", o->result);
    summand__sign_number(signature, "options.root", o->result == SUMMAND_OUTER_ROOT ? o->root : 0);
    sign_said(signature, "options.grid_rows x grid_columns",
              summand__sign_mix(o->grid_rows, o->grid_columns), say_grid, o);
    summand__sign_real(signature, "options.alpha", o->alpha);
    summand__sign_real(signature, "options.beta", o->beta);
    sign_said(signature, "options.replicated, options.any_order, options.any_bits, options.tile",
              !!o->replicated << 3 | !!o->any_order << 2 | !!o->any_bits << 1 | !!o->tile,
              say_order, NULL);
    summand__sign_word(signature, "options.algorithm", o->algorithm);
    summand__sign_word(signature, "options.inside.algorithm", i->algorithm);
    sign_said(signature, "options.inside.{segment, radix, node_size, leaders, radix_between}",
              parameters, say_inside, i);
}
