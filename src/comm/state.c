#include "comm/state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/patience.h"
#include "base/warning.h"
#include "comm/error.h"
#include "comm/finalize.h"
#include "comm/speaker.h"
#include "kernel/arch.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;
static atomic_bool has_keyval;        /* read without the lock by every call */
static struct summand__state *states; /* all that live */

/* States that have ended. What a thread found last it finds again without asking the MPI, which
 * takes a tenth of a short call, until any state ends: handles may come back for new communicators.
 */
static atomic_uint ended;
static _Thread_local struct {
    MPI_Comm comm;
    struct summand__state *state;
    unsigned ended;
} last;

static void unlink_state(struct summand__state *state)
{
    pthread_mutex_lock(&lock);
    *state->link = state->next;
    if (state->next)
        state->next->link = state->link;
    pthread_mutex_unlock(&lock);
}

static void link_state(struct summand__state *state)
{
    pthread_mutex_lock(&lock);
    state->next = states;
    state->link = &states;
    if (states)
        states->link = &state->next;
    states = state;
    pthread_mutex_unlock(&lock);
}

/* Caches hold plans, and plans hold the state: so they go first. */
static void drop_caches(struct summand__state *state)
{
    while (state->caches) {
        struct summand__cache *cache = state->caches;
        state->caches = cache->next;
        cache->drop(cache);
    }
}

void *summand__state_cache(struct summand__state *state, const void *owner, size_t bytes,
                           void (*drop)(struct summand__cache *cache))
{
    struct summand__cache *cache = state->caches;
    while (cache && cache->owner != owner)
        cache = cache->next;
    if (!cache && (cache = calloc(1, bytes))) {
        *cache = (struct summand__cache){.owner = owner, .drop = drop, .next = state->caches};
        state->caches = cache;
    }
    return cache;
}

static void free_state(struct summand__state *state)
{
    if (state->comm != MPI_COMM_NULL) { /* else MPI is over: see on_finalize */
        unlink_state(state);
        /* What is left over, or still on its way, would meet the messages of the next communicator,
         * which may get this one's place: so it keeps it until MPI_Finalize. */
        if (!state->littered)
            MPI_Comm_free(&state->comm);
    }
    if (state->presence)
        atomic_store(&state->presence->left, 1);
    summand__notices_free(&state->notices);
    summand__stale_free(&state->stale);
    summand__tuning_text_free(&state->tuning);
    summand__segment_drop(state->segment);
    free(state);
}

void summand__state_hold(struct summand__state *state)
{
    state->users++;
}

void summand__state_release(struct summand__state *state)
{
    if (--state->users == 0)
        free_state(state);
}

static bool is_alive(const struct summand__state *state)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const struct summand__state *s = states; s && !found; s = s->next)
        found = s == state;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Some MPIs delete the attributes of MPI_COMM_WORLD after those of MPI_COMM_SELF: by then the state
 * is gone. */
static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    struct summand__state *state = value;
    atomic_fetch_add(&ended, 1);
    if (is_alive(state)) {
        state->user_comm = MPI_COMM_NULL;
        drop_caches(state);
        summand__state_release(state);
    }
    return MPI_SUCCESS;
}

/* States of communicators that the user never freed (MPI_COMM_WORLD) end with MPI. */
static void on_finalize(void)
{
    atomic_fetch_add(&ended, 1);
    while (states) {
        struct summand__state *state = states;
        summand__state_hold(state); /* dropping the cache must not free it under our feet */
        drop_caches(state);
        unlink_state(state);
        MPI_Comm_free(&state->comm);
        state->over = true;
        state->user_comm = MPI_COMM_NULL;
        state->users--;                /* the communicator's; a plan may live on, to be freed */
        summand__state_release(state); /* ours */
    }
    has_keyval = false;
    MPI_Comm_free_keyval(&keyval);
}

static int make_keyval(void)
{
    int code = MPI_SUCCESS;
    pthread_mutex_lock(&lock);
    if (keyval == MPI_KEYVAL_INVALID) {
        code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL);
        if (code == MPI_SUCCESS)
            code = summand__at_finalize(on_finalize);
        has_keyval = code == MPI_SUCCESS;
        if (!has_keyval && keyval != MPI_KEYVAL_INVALID)
            MPI_Comm_free_keyval(&keyval); /* the next call tries again */
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* Whether all ranks have made theirs; one that failed fails all. */
static int agree(MPI_Comm comm, int code)
{
    int mine = code != MPI_SUCCESS, any = 0;
    int reduced = MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm);
    if (reduced != MPI_SUCCESS)
        return reduced;
    if (any && code == MPI_SUCCESS)
        return summand_error_code(SUMMAND_ERR_REMOTE);
    return code;
}

/* A variable whose value cannot be used: an error of every call, which names it. */
static int check_environment(void)
{
    struct summand__complaint complaint;
    const char *arch = summand__arch_complaint();
    bool good = summand__environment_check(&complaint);
    if (good && !arch)
        return MPI_SUCCESS;
    summand__error_explain(SUMMAND_ERR_ENVIRONMENT, good ? arch : complaint.text);
    return summand_error_code(SUMMAND_ERR_ENVIRONMENT);
}

/* Rank 0's, for all. */
struct common {
    uint64_t checks;
    uint64_t communicator; /* tells it from others that its ranks have: see comm/notice.h */
};

/* What cannot be read is complained of by check_environment. */
static int read_common(MPI_Comm comm, struct common *common)
{
    static _Atomic uint64_t made;
    struct summand__setting setting;
    struct summand__complaint complaint;
    bool on = summand__environment_read("SUMMAND_CHECK", &setting, &complaint) && setting.number;
    common->checks = on;
    common->communicator =
        summand__clock() ^ (uint64_t)getpid() << 40 ^ atomic_fetch_add(&made, 1) << 52;
    return MPI_Bcast(common, 2, MPI_UINT64_T, 0, comm);
}

/* Each rank's own. */
static void read_seconds(struct summand__state *state)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    state->stall = 60;
    if (summand__environment_read("SUMMAND_STALL", &setting, &complaint) && setting.text)
        state->stall = (double)setting.number;
    if (summand__environment_read("SUMMAND_TIMEOUT", &setting, &complaint))
        state->timeout = (double)setting.number;
}

/* Tells the others of this node where this rank is. */
static void show(struct summand__state *state)
{
    struct summand__segment *segment = state->segment;
    state->entered = &state->untold;
    if (!segment || !segment->memory)
        return;
    state->presence = &summand__segment_told(segment, segment->rank)->presence;
    state->entered = &state->presence->entered;
    summand__presence_begin(state->presence);
}

/* What was asked for and cannot be had changes no result, only the speed. */
static void warn(const struct summand__segment *segment)
{
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!summand__is_speaker())
        return;
    summand__warn_unknown();
    if (segment && segment->reads_refused && !atomic_flag_test_and_set(&warned))
        summand__warn(
            "SUMMAND_DIRECT_READ: the kernel does not let the ranks of this node read each "
            "other's memory; messages go through shared memory");
}

/* The same ranks and none of the caller's attributes: MPI_Comm_dup would call what copies those. */
static int duplicate(MPI_Comm comm, MPI_Comm *private)
{
    MPI_Group group;
    int code = MPI_Comm_group(comm, &group);
    if (code != MPI_SUCCESS)
        return code;
    code = MPI_Comm_create(comm, group, private);
    MPI_Group_free(&group);
    return code;
}

static int make_state(MPI_Comm comm, struct summand__state **made)
{
    MPI_Comm private;
    struct summand__nodes nodes;
    struct summand__tuning_text tuning = {.path = NULL};
    struct summand__segment *segment = NULL;
    struct common common = {0};
    bool complaint = false, transport_complaint = false;
    int code = duplicate(comm, &private);
    if (code != MPI_SUCCESS)
        return code;
    MPI_Comm_set_errhandler(private, MPI_ERRORS_RETURN);
    struct summand__state *state = calloc(1, sizeof *state);
    code = summand__nodes_read(private, &nodes, &complaint);
    if (code == MPI_SUCCESS)
        code = summand__tuning_text_get(private, &tuning);
    if (code == MPI_SUCCESS)
        code = read_common(private, &common);
    if (code == MPI_SUCCESS)
        code = summand__segment_make(private, &nodes, &segment, &transport_complaint);
    if (code != MPI_SUCCESS)
        ;
    else if (!state)
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    else if (complaint || transport_complaint)
        code = summand_error_code(SUMMAND_ERR_ENVIRONMENT);
    if (transport_complaint)
        summand__error_explain(SUMMAND_ERR_ENVIRONMENT,
                               "SUMMAND_TRANSPORT: the ranks cannot share memory");
    int checked = check_environment();
    if (code == MPI_SUCCESS)
        code = checked;
    code = agree(private, code);
    if (code != MPI_SUCCESS) {
        summand__tuning_text_free(&tuning);
        summand__segment_drop(segment);
        free(state);
        MPI_Comm_free(&private);
        return code;
    }
    warn(segment);
    state->comm = private;
    state->user_comm = comm;
    state->users = 1;
    state->nodes = nodes;
    state->tuning = tuning;
    state->segment = segment;
    state->checks = common.checks;
    state->notices.communicator = common.communicator;
    read_seconds(state);
    state->under_way = MPI_REQUEST_NULL;
    show(state);
    if (segment)
        segment->tags = &state->tags;
    if (segment && segment->memory)
        state->tags.given_up = summand__segment_given_up(segment, segment->rank);
    MPI_Comm_rank(private, &state->rank);
    MPI_Comm_size(private, &state->ranks);
    link_state(state);
    code = MPI_Comm_set_attr(comm, keyval, state);
    if (code != MPI_SUCCESS)
        free_state(state);
    *made = state;
    return code;
}

int summand__state_of(MPI_Comm comm, struct summand__state **state)
{
    int inter = 0, found = 0, code;
    if (comm == MPI_COMM_NULL)
        return MPI_ERR_COMM;
    if (has_keyval) {
        unsigned now = atomic_load(&ended);
        if (last.state && last.comm == comm && last.ended == now) {
            *state = last.state;
            return MPI_SUCCESS;
        }
        code = MPI_Comm_get_attr(comm, keyval, state, &found);
        if (code == MPI_SUCCESS && found) {
            last.comm = comm;
            last.state = *state;
            last.ended = now;
        }
        if (code != MPI_SUCCESS || found)
            return code;
    }
    if (!summand__mpi_runs())
        return SUMMAND__NO_MPI;
    code = make_keyval();
    if (code == MPI_SUCCESS)
        code = MPI_Comm_test_inter(comm, &inter);
    if (code != MPI_SUCCESS)
        return code;
    return inter ? MPI_ERR_COMM : make_state(comm, state);
}

int summand__state_raise(const char *call, const struct summand__state *state, int code)
{
    bool gone = state->user_comm == MPI_COMM_NULL && code != SUMMAND__NO_MPI;
    return gone ? code : summand__raise(call, state->user_comm, code);
}
