/* SPDX-License-Identifier: BSD-3-Clause */
/* summand sum --columns and --axis: the elements of an array, in the order of the file, are outer x
 * along x inner, and those with the same outer and inner index are added up. Each rank adds its
 * part of them to an accumulator of a vector, some at a time, so an array of any size takes the
 * memory of a few rows, or of the sums. */
#include "cli/sum/columns.h"

#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <summand/columns.h>

#include "cli/common/cli.h"
#include "cli/output/json.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/ranks/interrupt.h"
#include "cli/sum/plain.h"
#include "cli/sum/source.h"
#include "cli/sum/text.h"

enum {
    CHUNK = 1 << 18, /* values that are read at a time, or a row if it is longer */
    SHORT = 1 << 12  /* fewer values side by side are not read by themselves */
};

struct array {
    struct source source;
    int parts;  /* of an element: 2 of a complex number */
    bool named; /* the sums are of columns that have names */
    uint64_t outer, along, inner, n;
    int dimensions; /* of the sums, in the order of the file, the last one runs fastest */
    uint64_t extent[SUMMAND__NPY_DIMENSIONS];
    summand_exact_vector *sums;
    double *plain; /* this rank's sums by a plain loop; NULL: not asked for */
    double *y;     /* the result, on rank 0 */
    double *chunk, *pairs;
    size_t *index;
    struct trouble trouble;
};

static bool multiply(uint64_t *product, uint64_t factor)
{
    return !__builtin_mul_overflow(*product, factor, product);
}

static const char *shape_text(const struct source *source, char *text, size_t room)
{
    size_t used = (size_t)snprintf(text, room, "(");
    for (int i = 0; i < source->dimensions && used < room - 32; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%" PRIu64, i ? ", " : "",
                                 source->extent[i]);
    snprintf(text + used, room - used, "%s", source->dimensions == 1 ? ",)" : ")");
    return text;
}

/* Finds the extents; false after a note. */
static bool find_shape(struct array *a, int axis)
{
    struct source *source = &a->source;
    char shape[128];
    const int count = source->dimensions, given = axis == AXIS_NONE ? 0 : axis,
              from_front = given < 0 ? given + count : given;
    if (axis == AXIS_NONE ? count != 2 : from_front < 0 || from_front >= count) {
        trouble_note(&a->trouble, "%s: its shape is %s; %s", source->path,
                     shape_text(source, shape, sizeof shape),
                     axis != AXIS_NONE ? "it has no such axis"
                                       : "a matrix, such as (460, 3), expected");
        return false;
    }
    const int place = source->fortran ? count - 1 - from_front : from_front;
    bool fits = true;
    a->outer = a->inner = 1;
    for (int i = 0; i < count; i++) {
        const uint64_t extent = source->extent[source->fortran ? count - 1 - i : i];
        if (i == place)
            a->along = extent;
        else
            a->extent[a->dimensions++] = extent;
        if (i != place)
            fits = multiply(i < place ? &a->outer : &a->inner, extent) && fits;
    }
    a->parts = source->parts;
    a->named = source->text && source->text->names && from_front == 0;
    source_take_part(source, -1);
    a->n = a->outer;
    fits = fits && multiply(&a->inner, (uint64_t)a->parts) && multiply(&a->n, a->inner);
    if (!fits || a->n > SIZE_MAX / sizeof(double) / CHUNK)
        trouble_note(&a->trouble, "%s: no memory for its sums", source->path);
    return !a->trouble.text[0];
}

/* Reads values that lie side by side. Returns how many doubles stand for each, 1 or 2. */
static int read_values(struct array *a, uint64_t first, uint64_t count, double *values)
{
    struct source *source = &a->source;
    source->wide = false;
    source->format->read(source, first, count, 1, values, &a->trouble);
    if (!source->wide)
        return 1;
    a->trouble = (struct trouble){""};
    source->format->read(source, first, count, 2, a->pairs, &a->trouble);
    return 2;
}

/* The first (0) or the second doubles of pairs; 0 in place of a second one that is not there. */
static void take_of_pairs(const struct array *a, uint64_t count, int which, double *values)
{
    for (uint64_t i = 0; i < count; i++)
        values[i] = a->pairs[2 * i + (uint64_t)which];
}

static void note_memory(struct array *a, int failed)
{
    if (failed && !a->trouble.text[0])
        trouble_note(&a->trouble, "%s: no memory for its sums", a->source.path);
}

/* Adds rows of n values of `chunk`, one for each sum; `plain`: by the plain loop, too, which takes
 * the nearest double of each. */
static void add_chunk(struct array *a, uint64_t count, bool plain)
{
    note_memory(a, summand_exact_vector_add(a->sums, count, a->n, a->chunk));
    for (uint64_t i = 0; i < count && plain && a->plain; i++)
        for (uint64_t j = 0; j < a->n; j++)
            a->plain[j] += a->chunk[i * a->n + j];
}

/* Adds rows of n values, one for each sum: `count` from index `first` along the axis on. Each
 * outer index has a part of each row. */
static void add_rows(struct array *a, uint64_t first, uint64_t count)
{
    const uint64_t wide = a->inner * count, apart = a->along * a->inner;
    if (a->outer == 1) {
        const int terms = read_values(a, first * a->inner, wide, a->chunk);
        for (int t = 0; t < terms && !a->trouble.text[0]; t++) {
            if (terms == 2)
                take_of_pairs(a, wide, t, a->chunk);
            add_chunk(a, count, t == 0);
        }
        return;
    }
    /* The parts of one row lie far apart in the file; what has two doubles is added part by part.
     */
    double *line = a->chunk + a->n * count;
    for (uint64_t o = 0; o < a->outer && !a->trouble.text[0]; o++) {
        const int terms = read_values(a, o * apart + first * a->inner, wide, line);
        if (terms == 2)
            take_of_pairs(a, wide, 0, line);
        for (uint64_t i = 0; i < count && a->inner == 1; i++)
            a->chunk[i * a->n + o] = line[i];
        for (uint64_t i = 0; i < count && a->inner > 1; i++)
            memcpy(a->chunk + i * a->n + o * a->inner, line + i * a->inner,
                   a->inner * sizeof *line);
        for (uint64_t i = 0; i < wide && terms == 2 && !a->trouble.text[0]; i++) {
            const size_t sum = o * a->inner + i % a->inner;
            note_memory(a, summand_exact_vector_add_at(a->sums, 1, &sum, &a->pairs[2 * i + 1]));
        }
    }
    if (!a->trouble.text[0])
        add_chunk(a, count, true);
}

/* Adds values in the order of the file, each to its sum. */
static void add_values(struct array *a, uint64_t first, uint64_t count)
{
    const uint64_t apart = a->along * a->inner;
    const int terms = read_values(a, first, count, a->chunk);
    for (uint64_t i = 0; i < count; i++)
        a->index[i] = (first + i) / apart * a->inner + (first + i) % a->inner;
    for (int t = 0; t < terms && !a->trouble.text[0]; t++) {
        if (terms == 2)
            take_of_pairs(a, count, t, a->chunk);
        note_memory(a, summand_exact_vector_add_at(a->sums, count, a->index, a->chunk));
        for (uint64_t i = 0; i < count && t == 0 && a->plain; i++)
            a->plain[a->index[i]] += a->chunk[i];
    }
}

/* Adds this rank's part of the array: of the indices along the axis, or of all values. */
static void add_all(struct array *a, bool naive)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const bool by_rows = a->outer == 1 || a->along * a->inner >= SHORT;
    const uint64_t total = by_rows ? a->along : a->source.count,
                   most = by_rows ? a->n < CHUNK ? CHUNK / (a->n ? a->n : 1) : 1 : CHUNK,
                   room = by_rows ? most * (a->n + a->inner) : CHUNK;
    uint64_t first = total / (uint64_t)ranks * (uint64_t)rank,
             count = rank + 1 < ranks ? total / (uint64_t)ranks : total - first;
    a->sums = summand_exact_vector_new(a->n);
    a->chunk = malloc((room + 1) * sizeof *a->chunk);
    a->pairs = malloc((room + 1) * 2 * sizeof *a->pairs);
    a->index = malloc((by_rows ? 1 : CHUNK) * sizeof *a->index);
    a->plain = naive ? calloc(a->n + 1, sizeof *a->plain) : NULL;
    a->y = malloc((a->n + 1) * sizeof *a->y);
    if (naive && a->n > INT_MAX)
        trouble_note(&a->trouble, "%s: %" PRIu64 " sums are too many for MPI_Reduce",
                     a->source.path, a->n);
    else if (!a->sums || !a->chunk || !a->pairs || !a->index || !a->y || (naive && !a->plain))
        trouble_note(&a->trouble, "%s: no memory for %" PRIu64 " sums", a->source.path, a->n);
    while (count && !a->trouble.text[0]) {
        const uint64_t some = count < most ? count : most;
        (by_rows ? add_rows : add_values)(a, first, some);
        first += some;
        count -= some;
    }
}

/* This rank's sums; false on all ranks after a complaint. */
static bool read_array(const char *command, struct array *a, int axis, bool naive)
{
    find_shape(a, axis);
    if (!agree(command, &a->trouble))
        return false;
    add_all(a, naive);
    return agree(command, &a->trouble);
}

/* The sums of all ranks on rank 0; false on all ranks after a complaint. */
static bool sum_array(const char *command, struct array *a, bool exact)
{
    trouble_note_mpi(
        &a->trouble, a->source.path,
        exact ? summand_exact_vector_reduce(a->sums, a->y, MPI_DOUBLE, 0, MPI_COMM_WORLD, NULL)
              : MPI_Reduce(a->plain, a->y, (int)a->n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
    return agree(command, &a->trouble);
}

struct output {
    const struct columns_options *options;
    const char *path, *method;
    bool told;
    int ranks;
    struct table table;
    struct plain plain;
    json_t *results;
    int sums;
};

/* The place in y of the sum with number j in the order of C, and its indices as text. */
static uint64_t place_of(const struct array *a, uint64_t j, char *label, size_t room)
{
    const struct source *source = &a->source;
    uint64_t rest = j / (uint64_t)a->parts, place = 0, factor = 1, index[SUMMAND__NPY_DIMENSIONS];
    /* In Fortran order the extents stand in reverse. */
    for (int i = 0; i < a->dimensions; i++) {
        const int k = source->fortran ? i : a->dimensions - 1 - i;
        index[k] = rest % a->extent[k];
        rest /= a->extent[k];
    }
    for (int k = a->dimensions - 1; k >= 0; k--) {
        place += index[k] * factor;
        factor *= a->extent[k];
    }
    size_t used = 0;
    label[0] = '\0';
    for (int i = 0; i < a->dimensions && used < room - 32 && !a->named; i++)
        used += (size_t)snprintf(label + used, room - used, "%s%" PRIu64, i ? "," : "",
                                 index[source->fortran ? a->dimensions - 1 - i : i]);
    if (a->named)
        used = (size_t)snprintf(label, room - 8, "%.100s", text_name(source->text, place));
    if (a->parts == 2)
        snprintf(label + used, room - used, j % 2 ? ".im" : ".re");
    return place * (uint64_t)a->parts + j % (uint64_t)a->parts;
}

static void put_sum(struct output *output, const struct array *a, uint64_t j, json_t *values,
                    json_t *bits, json_t *names)
{
    char text[24], label[256];
    uint64_t word;
    const double value = a->y[place_of(a, j, label, sizeof label)];
    memcpy(&word, &value, sizeof word);
    snprintf(text, sizeof text, "0x%016" PRIx64, word);
    output->sums++;
    plain_add(&output->plain, value);
    if (output->options->json) {
        json_array_append_new(values, json_finite(value));
        json_array_append_new(bits, json_text(text));
        json_array_append_new(names, json_text(label));
        return;
    }
    table_cell(&output->table, "%s", output->path);
    if (output->options->named)
        table_cell(&output->table, "%s", output->method);
    table_cell(&output->table, "%" PRIu64, a->along);
    table_cell(&output->table, "%d", output->ranks);
    table_cell(&output->table, "%s", label);
    table_cell(&output->table, "%.17g", value);
    table_cell(&output->table, "%s", text);
}

/* Puts the result of rank 0. */
static void put(struct output *output, const struct array *a)
{
    json_t *values = json_array(), *bits = json_array(), *names = json_array();
    interrupt_hold();
    for (uint64_t j = 0; j < a->n && !output->told; j++)
        put_sum(output, a, j, values, bits, names);
    if (!output->told)
        json_array_append_new(output->results,
                              json_make("ssIIOOO", "file", output->path, "method", output->method,
                                        "rows", (json_int_t)a->along, "columns", (json_int_t)a->n,
                                        "names", names, "values", values, "bits", bits));
    json_decref(values);
    json_decref(bits);
    json_decref(names);
    interrupt_release();
}

/* On rank 0. Calls no MPI: see interrupt_answer. */
static int print(struct output *output)
{
    if (output->options->plain) {
        plain_print(&output->plain);
        return 0;
    }
    if (!output->options->json) {
        if (output->sums)
            table_end(&output->table, stdout);
        return 0;
    }
    json_t *json = json_head(output->options->command);
    json_object_update_new(json, json_make("oiO", "setting", setting_json(), "ranks", output->ranks,
                                           "results", output->results));
    return write_json(output->options->command, json, NULL);
}

static bool any_so_far(const void *context)
{
    return ((const struct output *)context)->sums > 0;
}

static void print_so_far(void *context)
{
    struct output *output = context;
    output->told = true;
    print(output);
}

static bool sum_file(const char *path, const struct source_choice *choice, struct output *output)
{
    const struct columns_options *options = output->options;
    const char *command = options->command;
    struct array a = {.n = 0};
    if (!source_open(&a.source, command, path, choice))
        return false;
    output->path = path;
    bool fine = read_array(command, &a, options->axis, options->naive);
    for (int naive = 0; naive < 2 && fine; naive++) {
        if (!(naive ? options->naive : options->exact))
            continue;
        output->method = naive ? "naive" : "exact";
        fine = sum_array(command, &a, !naive);
        if (fine && cli_rank() == 0)
            put(output, &a);
    }
    summand_exact_vector_free(&a.sums);
    free(a.chunk);
    free(a.pairs);
    free(a.index);
    free(a.plain);
    free(a.y);
    source_close(&a.source);
    interrupt_agreed_seconds(0);
    return fine;
}

/* The columns of the table. */
static const char *heading(const struct columns_options *options)
{
    const bool columns = options->axis == AXIS_NONE;
    if (options->named)
        return columns ? "<file|<method|rows|ranks|column|value|<bits"
                       : "<file|<method|terms|ranks|index|value|<bits";
    return columns ? "<file|rows|ranks|column|value|<bits" : "<file|terms|ranks|index|value|<bits";
}

int sum_columns(const struct columns_options *options, int files, char **paths)
{
    struct source_choice every = *options->choice;
    struct output output = {.options = options, .results = json_array()};
    int done = 0, status = 0;
    every.every = true;
    MPI_Comm_size(MPI_COMM_WORLD, &output.ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    table_begin(&output.table, heading(options));
    interrupt_answer(options->command,
                     (struct interrupt_answer){any_so_far, print_so_far, &output});
    while (done < files && !interrupt_agreed() && sum_file(paths[done], &every, &output))
        done++;
    if (!interrupt_answered() && cli_rank() == 0)
        status = print(&output);
    table_end(&output.table, NULL);
    plain_free(&output.plain);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    json_decref(output.results);
    return interrupt_agreed() ? interrupt_say(options->command) : done < files ? 1 : status;
}
