/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/shm/shm_ends.h"

#include <stdlib.h>

void summand__shm_sent(struct summand__shm_send **list, struct summand__shm_send ***last)
{
    struct summand__shm_send *send = *list;
    *list = send->next;
    if (!*list)
        *last = list;
    free(send->packed);
    send->packed = NULL;
    send->over = true;
    send->shm->open[send->group]--;
}

bool summand__shm_take_out(struct summand__shm_send **list, struct summand__shm_send ***last,
                           const struct summand__shm_send *send)
{
    struct summand__shm_send **link = list;
    while (*link && *link != send)
        link = &(*link)->next;
    if (!*link)
        return false;
    *link = send->next;
    if (!send->next)
        *last = link;
    return true;
}
