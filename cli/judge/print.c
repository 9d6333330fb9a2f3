/* SPDX-License-Identifier: BSD-3-Clause */
/* A verdict on the screen: a table, and a sentence for each fault. */
#include <math.h>

#include "cli/common/cli.h"
#include "cli/judge/judge.h"
#include "cli/output/table.h"

static void print_table(const summand_judge_report *report)
{
    struct table table;
    table_begin(&table, "<data|<what is hard|<faults|results|runs|ulps, median|worst");
    for (int i = 0; i < report->verdicts; i++) {
        const struct summand_judge_verdict *verdict = &report->verdict[i];
        char letters[SUMMAND__JUDGE_FAULTS + 1];
        summand__judge_letters(verdict->faults, letters);
        table_cell(&table, "%s", verdict->data);
        table_cell(&table, "%s", verdict->what);
        table_cell(&table, "%s", letters);
        table_cell(&table, "%d", verdict->results);
        table_cell(&table, "%d", verdict->cases);
        table_cell(&table, "%.3g", verdict->ulps_median);
        table_cell(&table, "%.3g", verdict->ulps_worst);
    }
    table_end(&table, stdout);
}

void judge_print(const summand_judge_report *report)
{
    print_table(report);
    printf("\n");
    for (int k = 0; k < SUMMAND__JUDGE_FAULTS; k++) {
        const unsigned fault = 1u << k;
        char letters[SUMMAND__JUDGE_FAULTS + 1];
        int sets = 0;
        for (int i = 0; i < report->verdicts; i++)
            sets += (report->verdict[i].faults & fault) != 0;
        summand__judge_letters(fault, letters);
        if (sets)
            print_line("%c: %s (%d of %d data sets)", letters[k],
                       summand_judge_fault_text((enum summand_judge_fault)fault), sets,
                       report->verdicts);
    }
    if (!report->faults)
        print_line("no fault: the exact sum, rounded once, in every case");
    if (!isnan(report->ratio))
        print_line("time: %.2f of the other program's", report->ratio);
}
