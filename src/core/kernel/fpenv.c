/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/fpenv.h"

_Thread_local struct summand__fpenv *summand__fpenv_callers;

void summand__fpenv_note(struct summand__fpenv *callers)
{
    callers->outer = summand__fpenv_callers;
    summand__fpenv_callers = callers;
}
