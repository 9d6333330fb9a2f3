/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/variables.h"

#include <stdio.h>

const char *variable_when(const summand_setting *setting)
{
    static const char *const times[] = {[SUMMAND_SETTING_PROCESS] = "once in a process",
                                        [SUMMAND_SETTING_COMMUNICATOR] =
                                            "at a communicator's first call",
                                        [SUMMAND_SETTING_PLAN] = "when a plan is made",
                                        [SUMMAND_SETTING_CALL] = "at each call"};
    return times[setting->when];
}

void variable_words(const summand_setting *setting, char text[VARIABLE_ROOM])
{
    snprintf(text, VARIABLE_ROOM, "%s: %s. Unset: %s. Read %s.", setting->allowed, setting->meaning,
             setting->standard, variable_when(setting));
}
