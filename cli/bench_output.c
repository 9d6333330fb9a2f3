/* A benchmark's report on the screen, as JSON and as CSV. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "setting.h"
#include "table.h"

static void ratio_cell(struct table *table, double ratio)
{
    if (isnan(ratio))
        table_cell(table, "-");
    else
        table_cell(table, "%.2f", ratio);
}

static void fill_table(const struct bench_report *report, struct table *table)
{
    char heads[160];
    snprintf(heads, sizeof heads,
             "<data|N|terms|<method|median/us|95%% low|95%% high|p99|x %s|x %s|rounds|<",
             report->references[0], report->references[1]);
    table_begin(table, heads);
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        table_cell(table, "%s", row->data);
        table_cell(table, "%" PRIu64, row->n);
        table_cell(table, "%d", row->terms);
        table_cell(table, "%s", row->method);
        table_cell(table, "%.2f", 1e6 * row->time.median);
        table_cell(table, "%.2f", 1e6 * row->time.low);
        table_cell(table, "%.2f", 1e6 * row->time.high);
        table_cell(table, "%.2f", 1e6 * row->p99);
        ratio_cell(table, row->ratio[0]);
        ratio_cell(table, row->ratio[1]);
        table_cell(table, "%d", row->rounds);
        table_cell(table, "%s", row->settled ? "" : "*");
    }
}

void bench_print(const struct bench_report *report)
{
    struct table table;
    char mpi[SETTING_ROOM] = "", arch[SETTING_ROOM] = "", machine[SETTING_ROOM] = "";
    bool settled = true;
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        if (!strcmp(row->name, "mpi"))
            row->text(mpi, sizeof mpi);
        if (!strcmp(row->name, "arch"))
            row->text(arch, sizeof arch);
        if (!strcmp(row->name, "machine"))
            row->text(machine, sizeof machine);
    }
    printf("%s on %d rank%s, %s, %s (%s)\n", report->command, report->ranks,
           report->ranks > 1 ? "s" : "", mpi, machine, arch);
    printf("A repetition: a barrier, then one call; the slowest rank's time counts.\n\n");
    fill_table(report, &table);
    table_end(&table, stdout);
    for (int i = 0; i < report->rows; i++)
        settled = settled && report->row[i].settled;
    printf("\nx %s, x %s: median of the ratios within a round.\n", report->references[0],
           report->references[1]);
    if (!settled)
        printf("*: the 95 %% interval was not within 2 %% of the median when %g s were over; "
               "--budget gives more.\n",
               report->budget);
    if (report->per_node > processors())
        printf("Warning: %d ranks share %d processors, so these times show the scheduler, not the "
               "methods.\n",
               report->per_node, processors());
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *row_json(const struct bench_report *report, const struct bench_row *row)
{
    char name[64];
    uint64_t bits;
    memcpy(&bits, &row->value, sizeof bits);
    json_t *object =
        json_pack("{s:s, s:I, s:i, s:s, s:i, s:f, s:f, s:f, s:f, s:f, s:i, s:b, s:o}", "data",
                  row->data, "n", (json_int_t)row->n, "terms", row->terms, "method", row->method,
                  "ranks", report->ranks, "median", row->time.median, "low", row->time.low, "high",
                  row->time.high, "p99", row->p99, "least", row->least, "rounds", row->rounds,
                  "settled", row->settled, "value", number(row->value));
    snprintf(name, sizeof name, "0x%016" PRIx64, bits);
    json_object_set_new(object, "bits", json_string(name));
    for (int r = 0; r < 2; r++) {
        snprintf(name, sizeof name, "ratio_%s", report->references[r]);
        json_object_set_new(object, name, number(row->ratio[r]));
    }
    return object;
}

int bench_write_json(const struct bench_report *report, const char *path)
{
    json_t *results = json_array();
    for (int i = 0; i < report->rows; i++)
        json_array_append_new(results, row_json(report, &report->row[i]));
    json_t *json = json_pack("{s:s, s:o, s:i, s:b, s:f, s:s, s:o}", "command", report->command,
                             "setting", setting_json(), "ranks", report->ranks, "oversubscribed",
                             report->per_node > processors(), "budget", report->budget, "unit",
                             "seconds", "results", results);
    return write_json(report->command, json, path);
}

static void ratio_csv(FILE *out, double ratio)
{
    if (!isnan(ratio))
        fprintf(out, ",%.6g", ratio);
    else
        fputc(',', out);
}

static void rows_csv(const struct bench_report *report, FILE *out)
{
    setting_csv_heads(out);
    fprintf(
        out,
        "benchmark,ranks,data,n,terms,method,median_s,low_s,high_s,p99_s,least_s,rounds,settled,"
        "ratio_%s,ratio_%s\n",
        report->references[0], report->references[1]);
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        setting_csv_values(out);
        fprintf(out, "%s,%d,", report->command, report->ranks);
        csv_text(out, row->data);
        fprintf(out, ",%" PRIu64 ",%d,%s,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%d", row->n, row->terms,
                row->method, row->time.median, row->time.low, row->time.high, row->p99, row->least,
                row->rounds, row->settled);
        ratio_csv(out, row->ratio[0]);
        ratio_csv(out, row->ratio[1]);
        fputc('\n', out);
    }
}

int bench_write_csv(const struct bench_report *report, const char *path)
{
    bool screen = !strcmp(path, "-");
    FILE *out = screen ? stdout : fopen(path, "w");
    if (!out)
        return complain(report->command, "%s: %s", path, strerror(errno));
    rows_csv(report, out);
    bool failed = ferror(out);
    if (screen ? fflush(out) : fclose(out))
        failed = true;
    return failed ? complain(report->command, "%s: %s", path, strerror(errno)) : 0;
}
