/* SPDX-License-Identifier: BSD-3-Clause */
/* The command `summand-study`. */
#include <summand/version.h>

#include "cli/commands.h"

/* Visible: the simulator SMPI loads the command as a library and looks up main. */
SUMMAND_API int main(int argc, char **argv)
{
    return program_main(&program_study, argc, argv);
}
