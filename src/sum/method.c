#include "sum/sums.h"

static const struct summand__sum_method methods[] = {
    [SUMMAND_EXACT] = {"SUMMAND_EXACT", 0, false, summand__exact_plan},
    [SUMMAND_TREE] = {"SUMMAND_TREE", 1, true, summand__tree_plan}};

const struct summand__sum_method *summand__sum_method_of(enum summand_method method)
{
    size_t row = (size_t)method;
    return row < sizeof methods / sizeof *methods ? &methods[row] : NULL;
}
