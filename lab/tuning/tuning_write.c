/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdlib.h>

#include "base/number.h"
#include "lab/tuning/tuning.h"

static void write_whole(size_t value, FILE *out)
{
    char text[32];
    summand__print_integer((long long)value, text, sizeof text);
    fputs(text, out);
}

static void write_ranks(const struct summand__tuning_rule *rule, FILE *out)
{
    if (rule->ranks)
        fprintf(out, " %d", rule->ranks);
    else
        fputs(" *", out);
    if (rule->node_size == SUMMAND__UNEVEN)
        fputs("/uneven", out);
    else if (rule->node_size && rule->node_size != (size_t)rule->ranks)
        fprintf(out, "/%zu", rule->node_size);
    else if (!rule->node_size && rule->ranks)
        fputs("/*", out);
}

void summand__tuning_write_rule(const struct summand__tuning_rule *rule, FILE *out)
{
    fputs(summand__collective_name(rule->collective), out);
    write_ranks(rule, out);
    fputc(' ', out);
    write_whole(rule->least, out);
    fputc('-', out);
    if (rule->end != SIZE_MAX)
        write_whole(rule->end, out);
    fprintf(out, " %s", rule->algorithm->name);
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        if (rule->parameter[i]) {
            fprintf(out, " %s=", summand__parameter_name((enum summand__parameter)i));
            write_whole(rule->parameter[i], out);
        }
    if (rule->runs)
        fputs(" nodes=runs", out);
    if (rule->promises)
        fprintf(out, " promise=%s", rule->promises & SUMMAND__CANONICAL ? "canonical" : "ordered");
    fputc('\n', out);
}

/* Writes the shortest text that reads back as the same number. */
static void write_real(double value, FILE *out)
{
    char text[40];
    int digits = 6;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (strtod(text, NULL) != value && ++digits <= 17);
    fputs(text, out);
}

void summand__tuning_write(const struct summand__tuning *tuning, FILE *out)
{
    struct summand__model model = tuning->model;
    if (*tuning->machine)
        fprintf(out, "machine %s\n", tuning->machine);
    for (const struct summand__model_row *row = summand__model_rows; tuning->has_model && row->name;
         row++) {
        fprintf(out, "model %s = ", row->name);
        write_real(*summand__model_value(&model, row), out);
        fprintf(out, " # %s: %s\n", row->unit, row->meaning);
    }
    for (size_t i = 0; i < tuning->rules; i++)
        summand__tuning_write_rule(&tuning->rule[i], out);
}
