/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/injected.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "base/warning.h"
#include "op/datatype_layout.h"
#include "process/world_root.h"
#include "transport/over.h"

static struct summand__injection fault;
static _Atomic uint64_t messages;
static atomic_bool changed;

static const struct summand__transport_entry injected_transport;

struct injected {
    struct summand__over over; /* first */
    size_t extent, lb, gap; /* bytes from element to element, before the first, behind the last */
    unsigned char *copy;    /* the damaged one; or NULL */
    unsigned char *before;  /* the last message */
    size_t count_before, room;
};

static struct injected *of(struct summand__link *link)
{
    return (struct injected *)link;
}

void summand__inject(const struct summand__injection *injection)
{
    fault = injection ? *injection : (struct summand__injection){.kind = NULL};
    atomic_store(&messages, 0);
    atomic_store(&changed, false);
    summand__transport_over = &injected_transport;
}

uint64_t summand__injected_messages(void)
{
    return atomic_load(&messages);
}

bool summand__injected_any(void)
{
    return atomic_load(&changed);
}

static void read_once(void)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    struct summand__injection injection;
    if (!summand__environment_take("SUMMAND_INJECT", &setting, &complaint) || !setting.text ||
        !summand__injection_read(setting.text, &injection, &complaint))
        return; /* an invalid one was an error of the communicator's first call */
    summand__inject(summand__world_rank() == injection.rank ? &injection : NULL);
}

void summand__inject_as_set(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_once);
}

static size_t bytes_of(const struct injected *own, const struct summand__message *message)
{
    return message->count ? message->count * own->extent - own->gap : 0;
}

static int remember(struct injected *own, const unsigned char *bytes, size_t count)
{
    if (count > own->room) {
        free(own->before);
        own->before = malloc(count);
        own->room = own->before ? count : 0;
    }
    own->count_before = own->room ? count : 0;
    if (own->count_before)
        memcpy(own->before, bytes, count);
    return count && !own->before ? summand_error_code(SUMMAND_ERR_MEMORY) : MPI_SUCCESS;
}

/* Makes a damaged copy of the message. One of an earlier fault is complete. */
static int damage(struct injected *own, const unsigned char *bytes, size_t count)
{
    free(own->copy);
    own->copy = malloc(own->lb + count + own->gap);
    if (!own->copy)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    unsigned char *at = own->copy + own->lb;
    memcpy(at, bytes, count);
    fault.kind->change(
        &(struct summand__injection_target){at, count, own->before, own->count_before},
        fault.number);
    if (memcmp(at, bytes, count) != 0)
        atomic_store(&changed, true);
    return MPI_SUCCESS;
}

static int injected_send(struct summand__link *link, const struct summand__message *message)
{
    struct injected *own = of(link);
    struct summand__message below = *message;
    const unsigned char *bytes = (const unsigned char *)message->data + own->lb;
    size_t count = bytes_of(own, message);
    bool now = atomic_fetch_add(&messages, 1) == fault.message && fault.kind && count;
    int code = now ? damage(own, bytes, count) : MPI_SUCCESS;
    if (now)
        below.data = own->copy;
    if (message->combine &&
        fault.kind) { /* sees what was sent; a seal is whole before it is copied */
        below.combine = NULL;
        message->combine->combine(message->combine->context, bytes, NULL, NULL, message->count);
    }
    if (code == MPI_SUCCESS && fault.kind)
        code = remember(own, bytes, count);
    return code == MPI_SUCCESS ? own->over.lower->transport->send(own->over.lower, &below) : code;
}

static void injected_set_datatype(struct summand__link *link, MPI_Datatype datatype)
{
    struct injected *own = of(link);
    struct summand__datatype type = {0};
    summand__datatype_read(datatype, &type);
    own->extent = (size_t)type.extent;
    own->lb = (size_t)type.true_lb;
    own->gap = (size_t)(type.extent > type.true_extent ? type.extent - type.true_extent : 0);
    summand__over_set_datatype(link, datatype);
}

static bool injected_close(struct summand__link *link)
{
    struct injected *own = of(link);
    bool ended = summand__transport_of(own->over.lower)->close(own->over.lower);
    if (ended) /* else the MPI may still use it */
        free(own->copy);
    free(own->before);
    free(own);
    return ended;
}

static struct summand__link *injected_open(const struct summand__link_spec *spec)
{
    struct injected *own = calloc(1, sizeof *own);
    struct summand__link *lower = own ? summand__transport_below(spec->state)->open(spec) : NULL;
    if (!lower) {
        free(own);
        return NULL;
    }
    own->over.link = *lower;
    own->over.link.transport = &injected_transport.transport;
    own->over.lower = lower;
    injected_set_datatype(&own->over.link, spec->datatype);
    return &own->over.link;
}

static const struct summand__transport_entry injected_transport = {
    .transport = {.name = "injected",
                  .send = injected_send,
                  .recv = summand__over_recv,
                  .combines = summand__over_combines,
                  .complete = summand__over_complete,
                  .progress = summand__over_progress,
                  .awaited = summand__over_awaited},
    .available = summand__over_available,
    .abilities = summand__over_abilities,
    .open = injected_open,
    .close = injected_close,
    .set_datatype = injected_set_datatype,
    .set_tag = summand__over_set_tag,
    .set_watch = summand__over_set_watch,
    .abort = summand__over_abort};
