/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/fpenv_call.h"

_Thread_local struct summand__fpenv *summand__fpenv_callers;
