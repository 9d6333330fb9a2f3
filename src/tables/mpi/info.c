/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <summand/error.h>
#include <summand/info.h>

#include "algorithm/describe.h"
#include "base/environment.h"
#include "kernel/arch.h"
#include "kernel/fpenv_call.h"
#include "process/error.h"

const summand_algorithm *summand_algorithm_at(int index)
{
    return summand__algorithm_described(index);
}

const summand_setting *summand_setting_at(int index)
{
    const summand_setting *row = summand__environment;
    for (int i = 0; row->name && i < index; i++)
        row++;
    return index < 0 || !row->name ? NULL : row;
}

const char *summand_setting_value(const char *name, enum summand_setting_from *from)
{
    return summand__environment_value(name ? name : "", from);
}

/* The table has all instruction sets, not only those of this processor. */
static bool processor_lacks(const char *name, const char *value)
{
    bool lacks = false;
    for (int a = 0; a < SUMMAND__ARCHS && value; a++)
        lacks = lacks || (!strcmp(value, summand__arch_name((enum summand__arch)a)) &&
                          !summand__arch_supported((enum summand__arch)a));
    return lacks && name && !strcmp(name, "SUMMAND_ARCH");
}

/* The MPI makes Summand's codes, so they exist only while it runs. */
static int refuse(enum summand_error error, const char *words)
{
    int code = summand__mpi_runs() ? summand__refuse(error, "%s", words)
                                   : summand__refuse_as(MPI_ERR_ARG, "%s", words);
    return summand__keep_words(code);
}

int summand_setting_set(const char *name, const char *value)
{
    SUMMAND__IN_DEFAULT_FPENV;
    static const enum summand_error errors[] = {[SUMMAND__SET_BAD] = SUMMAND_ERR_ARGUMENT,
                                                [SUMMAND__SET_LATE] = SUMMAND_ERR_ENVIRONMENT,
                                                [SUMMAND__SET_NO_MEMORY] = SUMMAND_ERR_MEMORY};
    struct summand__complaint complaint = {""};
    if (processor_lacks(name, value)) {
        snprintf(complaint.text, sizeof complaint.text,
                 "%s: '%s' is an instruction set that this processor lacks", name, value);
        return refuse(SUMMAND_ERR_ARGUMENT, complaint.text);
    }
    enum summand__set outcome = summand__environment_set(name, value, &complaint);
    return outcome == SUMMAND__SET_DONE ? MPI_SUCCESS : refuse(errors[outcome], complaint.text);
}
