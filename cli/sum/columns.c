/* SPDX-License-Identifier: BSD-3-Clause */
/* summand sum --columns: each rank adds its rows of a matrix to an accumulator of a vector, some at
 * a time, so a matrix of any size takes the memory of a few rows. */
#include "cli/sum/columns.h"

#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <summand/columns.h>

#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/json.h"
#include "cli/common/setting.h"
#include "cli/common/table.h"
#include "cli/sum/source.h"

enum { CHUNK = 1 << 18 }; /* values that are read at a time, or a row if it is longer */

struct matrix {
    struct source source;
    uint64_t rows, n; /* n: columns */
    summand_exact_vector *sums;
    double *plain; /* the rank's sums by a plain loop; NULL: not asked for */
    double *y;     /* the result, on rank 0 */
    double *chunk; /* rows of it */
};

/* Reads rows, in the order of the file; `line` has room for a column of them. */
static void read_rows(const struct matrix *m, uint64_t first, uint64_t count, double *line,
                      struct trouble *trouble)
{
    const struct source *source = &m->source;
    if (!source->type.columns) {
        source->format->read(source, first * m->n, count * m->n, m->chunk, trouble);
        return;
    }
    for (uint64_t j = 0; j < m->n && !trouble->text[0]; j++) {
        source->format->read(source, j * m->rows + first, count, line, trouble);
        for (uint64_t i = 0; i < count; i++)
            m->chunk[i * m->n + j] = line[i];
    }
}

static void add_plain(const struct matrix *m, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < m->n; j++)
            m->plain[j] += m->chunk[i * m->n + j];
}

static uint64_t rows_at_once(const struct matrix *m)
{
    return m->n < CHUNK ? CHUNK / (m->n ? m->n : 1) : 1;
}

static void add_rows(const struct matrix *m, uint64_t first, uint64_t count, double *line,
                     struct trouble *trouble)
{
    const uint64_t most = rows_at_once(m);
    while (count && !trouble->text[0]) {
        const uint64_t some = count < most ? count : most;
        read_rows(m, first, some, line, trouble);
        if (!trouble->text[0] && summand_exact_vector_add(m->sums, some, m->n, m->chunk))
            trouble_note(trouble, "%s: no memory for its sums", m->source.path);
        if (m->plain)
            add_plain(m, some);
        first += some;
        count -= some;
    }
}

/* Each rank's sums of its rows; false on all ranks after a complaint. */
static bool read_matrix(const char *command, struct matrix *m, bool naive)
{
    struct trouble trouble = {""};
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    m->rows = m->source.type.extent[0];
    m->n = m->source.type.extent[1];
    const uint64_t most = rows_at_once(m), first = m->rows / (uint64_t)ranks * (uint64_t)rank,
                   count = rank + 1 < ranks ? m->rows / (uint64_t)ranks : m->rows - first;
    const bool small = m->n < SIZE_MAX / sizeof(double) / CHUNK;
    double *line = malloc(most * sizeof *line);
    m->sums = small ? summand_exact_vector_new(m->n) : NULL;
    m->chunk = small ? malloc((most * m->n + 1) * sizeof *m->chunk) : NULL;
    m->plain = small && naive ? calloc(m->n + 1, sizeof *m->plain) : NULL;
    m->y = small ? malloc((m->n + 1) * sizeof *m->y) : NULL;
    if (naive && m->n > INT_MAX)
        trouble_note(&trouble, "%s: %" PRIu64 " columns are too many for MPI_Reduce",
                     m->source.path, m->n);
    else if (line && m->sums && m->chunk && (m->plain || !naive) && m->y)
        add_rows(m, first, count, line, &trouble);
    else
        trouble_note(&trouble, "%s: no memory for %" PRIu64 " columns", m->source.path, m->n);
    free(line);
    return agree(command, &trouble);
}

/* The sums of all columns on rank 0, from those of the ranks; false on all ranks after a
 * complaint. */
static bool sum_matrix(const char *command, const struct matrix *m, bool exact)
{
    struct trouble trouble = {""};
    trouble_note_mpi(
        &trouble, m->source.path,
        exact ? summand_exact_vector_reduce(m->sums, m->y, MPI_DOUBLE, 0, MPI_COMM_WORLD, NULL)
              : MPI_Reduce(m->plain, m->y, (int)m->n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
    return agree(command, &trouble);
}

struct output {
    const struct columns_options *options;
    bool told;
    int ranks;
    struct table table;
    json_t *results;
    int sums;
};

/* Puts the result of rank 0. */
static void put(struct output *output, const struct matrix *m, const char *method)
{
    json_t *values = json_array(), *bits = json_array();
    interrupt_hold();
    for (uint64_t j = 0; j < m->n && !output->told; j++) {
        char text[24];
        uint64_t word;
        memcpy(&word, &m->y[j], sizeof word);
        snprintf(text, sizeof text, "0x%016" PRIx64, word);
        output->sums++;
        json_array_append_new(values, json_finite(m->y[j]));
        json_array_append_new(bits, json_text(text));
        if (output->options->json)
            continue;
        table_cell(&output->table, "%s", m->source.path);
        if (output->options->named)
            table_cell(&output->table, "%s", method);
        table_cell(&output->table, "%" PRIu64, m->rows);
        table_cell(&output->table, "%d", output->ranks);
        table_cell(&output->table, "%" PRIu64, j);
        table_cell(&output->table, "%.17g", m->y[j]);
        table_cell(&output->table, "%s", text);
    }
    if (!output->told)
        json_array_append_new(output->results,
                              json_make("ssIIOO", "file", m->source.path, "method", method, "rows",
                                        (json_int_t)m->rows, "columns", (json_int_t)m->n, "values",
                                        values, "bits", bits));
    json_decref(values);
    json_decref(bits);
    interrupt_release();
}

/* On rank 0. Calls no MPI: see interrupt_answer. */
static int print(struct output *output)
{
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

static bool sum_file(const char *path, struct output *output)
{
    const struct columns_options *options = output->options;
    struct matrix m = {.rows = 0};
    if (!source_open_matrix(&m.source, options->command, path))
        return false;
    bool fine = read_matrix(options->command, &m, options->naive);
    for (int naive = 0; naive < 2 && fine; naive++) {
        if (!(naive ? options->naive : options->exact))
            continue;
        fine = sum_matrix(options->command, &m, !naive);
        if (fine && cli_rank() == 0)
            put(output, &m, naive ? "naive" : "exact");
    }
    summand_exact_vector_free(&m.sums);
    free(m.chunk);
    free(m.plain);
    free(m.y);
    source_close(&m.source);
    interrupt_agreed_seconds(0);
    return fine;
}

int sum_columns(const struct columns_options *options, int files, char **paths)
{
    const char *command = options->command;
    struct output output = {.options = options, .results = json_array()};
    int done = 0, status = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &output.ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    table_begin(&output.table, options->named ? "<file|<method|rows|ranks|column|value|<bits"
                                              : "<file|rows|ranks|column|value|<bits");
    interrupt_answer(command, (struct interrupt_answer){any_so_far, print_so_far, &output});
    while (done < files && !interrupt_agreed() && sum_file(paths[done], &output))
        done++;
    if (!interrupt_answered() && cli_rank() == 0)
        status = print(&output);
    table_end(&output.table, NULL);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    json_decref(output.results);
    return interrupt_agreed() ? interrupt_say(command) : done < files ? 1 : status;
}
