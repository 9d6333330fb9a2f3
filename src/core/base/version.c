/* SPDX-License-Identifier: BSD-3-Clause */
#include <summand/version.h>

#define TEXT(x) #x
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *summand_version(void)
{
    return VERSION(SUMMAND_VERSION_MAJOR, SUMMAND_VERSION_MINOR, SUMMAND_VERSION_PATCH);
}

int summand_version_number(void)
{
    return SUMMAND_VERSION;
}
