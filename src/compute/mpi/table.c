/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection from the table of windows. */
#include "compute/mpi/window.h"
#include "process/error.h"

struct summand__window *(*summand__window_over)(struct summand__window *lower);

static bool is_asked_for(const struct summand__state *state,
                         const struct summand__window_transport *transport)
{
    return transport->named && state->context.fabric->settings.transport == transport->named;
}

static int cannot_be_had(const struct summand__window_transport *transport)
{
    summand__error_explain(SUMMAND_ERR_ENVIRONMENT,
                           "SUMMAND_TRANSPORT is '%s': a window over it cannot be had here",
                           transport->name);
    return summand_error_code(SUMMAND_ERR_ENVIRONMENT);
}

int summand__window_open(struct summand__state *state, const struct summand__window_spec *spec,
                         unsigned abilities, struct summand__window **window)
{
    struct summand__window_spec own = *spec;
    int code = MPI_ERR_UNSUPPORTED_OPERATION;
    own.deadline = !abilities && (spec->deadline || state->channel.timeout > 0);
    *window = NULL;
    for (int t = 0; summand__window_transports[t] && code == MPI_ERR_UNSUPPORTED_OPERATION; t++) {
        const struct summand__window_transport *transport = summand__window_transports[t];
        bool asked = is_asked_for(state, transport);
        if ((transport->named && !asked) || (transport->abilities & abilities) != abilities ||
            !transport->available(state))
            continue;
        code = transport->open(state, &own, window);
        if (asked && code == MPI_ERR_UNSUPPORTED_OPERATION)
            code = cannot_be_had(transport);
    }
    if (*window && summand__window_over)
        *window = summand__window_over(*window);
    return code;
}
