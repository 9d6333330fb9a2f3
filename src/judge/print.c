/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of a verdict. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "judge/judge.h"

static const struct {
    enum summand_judge_fault fault;
    char letter;
    const char *text;
} faults[] = {{SUMMAND_JUDGE_PARTS, 'p', "the result depends on the number of processes"},
              {SUMMAND_JUDGE_ORDER, 'o', "the result depends on the order of the terms"},
              {SUMMAND_JUDGE_REPETITION, 'r', "a second run gives another result"},
              {SUMMAND_JUDGE_SPECIAL, 's', "a NaN or an infinity is lost, or comes from nowhere"},
              {SUMMAND_JUDGE_ROUNDING, 'e', "a result is not the exact sum, rounded once"},
              {SUMMAND_JUDGE_FAILED, 'f', "no result"}};

enum { FAULTS = SUMMAND__JUDGE_FAULTS };
_Static_assert(FAULTS == sizeof faults / sizeof *faults, "a row for each fault");

const char *summand_judge_fault_text(enum summand_judge_fault fault)
{
    for (int i = 0; i < FAULTS; i++)
        if (faults[i].fault == fault)
            return faults[i].text;
    return "?";
}

void summand__judge_letters(unsigned found, char letters[FAULTS + 1])
{
    for (int i = 0; i < FAULTS; i++)
        letters[i] = found & faults[i].fault ? faults[i].letter : '-';
    letters[FAULTS] = 0;
}

static void print_witness(const struct summand_judge_witness *witness, FILE *out)
{
    fprintf(out, "  witness: %zu terms of %s", witness->terms, witness->data);
    for (size_t i = 0; i < witness->terms && witness->terms <= 8; i++)
        fprintf(out, "%s%a", i ? ", " : ": ", witness->x[i]);
    fputc('\n', out);
    for (int i = 0; i < 2; i++)
        fprintf(out, "    %zu process%s, %s: %.17g\n", witness->pair[i].parts,
                witness->pair[i].parts == 1 ? "" : "es",
                summand_judge_order_name(witness->pair[i].order), witness->pair[i].result);
}

void summand_judge_print(const summand_judge_report *report, FILE *out)
{
    fprintf(out, "%-12s %-40s %-6s %7s %12s %12s\n", "data", "", "faults", "results",
            "ulps, median", "worst");
    for (int i = 0; i < report->verdicts; i++) {
        const struct summand_judge_verdict *verdict = &report->verdict[i];
        char letters[FAULTS + 1];
        summand__judge_letters(verdict->faults, letters);
        fprintf(out, "%-12s %-40s %s  %3d/%-3d %12.3g %12.3g\n", verdict->data, verdict->what,
                letters, verdict->results, verdict->cases, verdict->ulps_median,
                verdict->ulps_worst);
    }
    fputc('\n', out);
    for (int i = 0; i < FAULTS; i++) {
        int sets = 0;
        for (int v = 0; v < report->verdicts; v++)
            sets += (report->verdict[v].faults & faults[i].fault) != 0;
        if (!sets)
            continue;
        fprintf(out, "%c: %s (%d of %d data sets)\n", faults[i].letter, faults[i].text, sets,
                report->verdicts);
        if (i < SUMMAND_JUDGE_WITNESSES && report->witness[i].terms)
            print_witness(&report->witness[i], out);
    }
    if (!report->faults)
        fprintf(out, "no fault: the exact sum, rounded once, in every case\n");
    if (!isnan(report->ratio))
        fprintf(out, "time: %.2f of a plain loop's\n", report->ratio);
}
