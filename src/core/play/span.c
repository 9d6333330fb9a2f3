/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of the play of a prediction. */
#include <stdlib.h>

#include "play/predict.h"

void summand__predict_free(struct summand__predict *predict)
{
    free(predict->spans);
    predict->spans = NULL;
    predict->span_count = 0;
}

const char *summand__span_name(enum summand__span_kind kind)
{
    static const char *const names[SUMMAND__SPAN_KINDS] = {"send", "wire", "recv",   "reduce",
                                                           "copy", "put",  "notify", "compute"};
    return names[kind];
}
