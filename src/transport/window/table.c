/* The table of windows, and what looks into it. */
#include "transport/late/late.h"
#include "transport/window/window.h"

const struct summand__window_transport *const summand__window_transports[] = {
    &summand__shm_window, &summand__rma_window, &summand__p2p_window, NULL};

const struct summand__window_transport *
summand__window_transport_for(const struct summand__state *state)
{
    const struct summand__window_transport *const *transport = summand__window_transports;
    while (*transport && !(*transport)->available(state))
        transport++;
    return *transport;
}

int summand__window_open(struct summand__state *state, const struct summand__window_spec *spec,
                         unsigned abilities, struct summand__window **window)
{
    struct summand__window_spec own = *spec;
    int code = MPI_ERR_UNSUPPORTED_OPERATION;
    own.deadline = !abilities && (spec->deadline || state->timeout > 0);
    *window = NULL;
    for (int t = 0; summand__window_transports[t] && code == MPI_ERR_UNSUPPORTED_OPERATION; t++) {
        const struct summand__window_transport *transport = summand__window_transports[t];
        if ((transport->abilities & abilities) == abilities && transport->available(state))
            code = transport->open(state, &own, window);
    }
    *window = summand__late_window(*window);
    return code;
}

bool summand__window_passive(const struct summand__state *state)
{
    const struct summand__window_transport *transport = summand__window_transport_for(state);
    return transport && transport->abilities & SUMMAND__PASSIVE_TARGET;
}
