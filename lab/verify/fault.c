/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/play.h"

#include <stdarg.h>
#include <stdio.h>

bool summand__play_fault(struct summand__play *play, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(play->fault, sizeof play->fault, format, list);
    va_end(list);
    return false;
}

const char *summand__place_name(enum summand__place place)
{
    static const char *const names[SUMMAND__MOST_PLACES] = {
        "sendbuf",  "recvbuf",  "scratch",  "place 3", "place 4",  "place 5",
        "place 6",  "place 7",  "place 8",  "place 9", "place 10", "place 11",
        "place 12", "place 13", "place 14", "place 15"};
    return names[place] ? names[place] : "a place behind place 15";
}
