#include "sum/sums.h"

static const struct summand__sum_method methods[] = {
    [SUMMAND_EXACT] = {.name = "SUMMAND_EXACT", .number = 0, .plan = summand__exact_plan},
    [SUMMAND_TREE] = {.name = "SUMMAND_TREE",
                      .number = 1,
                      .tree = true,
                      .plan = summand__tree_plan,
                      .serves = summand__tree_plan_serves,
                      .rebind = summand__tree_plan_rebind,
                      .made_by = summand__tree_plan_made_by,
                      .bytes = summand__tree_plan_bytes}};

const struct summand__sum_method *summand__sum_method_of(enum summand_method method)
{
    size_t row = (size_t)method;
    return row < sizeof methods / sizeof *methods ? &methods[row] : NULL;
}
