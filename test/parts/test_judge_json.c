/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of faults in the JSON of `summand judge`. */
#include "cli/judge/judge.h"
#include "unit/unit.h"

static void expect(const json_t *list, unsigned faults)
{
    static const struct {
        unsigned fault;
        const char *name;
    } rows[] = {{SUMMAND_JUDGE_PARTS, "ranks"},           {SUMMAND_JUDGE_ORDER, "order"},
                {SUMMAND_JUDGE_REPETITION, "repetition"}, {SUMMAND_JUDGE_SPECIAL, "special"},
                {SUMMAND_JUDGE_ROUNDING, "rounding"},     {SUMMAND_JUDGE_FAILED, "failed"}};
    size_t at = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (faults & rows[i].fault)
            assert_string_equal(json_string_value(json_array_get(list, at++)), rows[i].name);
    assert_int_equal(json_array_size(list), at);
}

TEST(each_fault_has_its_name)
{
    for (unsigned faults = 0; faults < 64; faults++) {
        struct summand_judge_verdict verdict = {
            .data = "uniform", .what = "nothing", .faults = 63 - faults};
        const summand_judge_report report = {.verdicts = 1, .verdict = &verdict, .faults = faults};
        json_t *json = judge_json(&report, 1);
        expect(json_object_get(json, "faults"), faults);
        expect(json_object_get(json_array_get(json_object_get(json, "data"), 0), "faults"),
               63 - faults);
        json_decref(json);
    }
}
