/* Loaded before SimGrid (LD_PRELOAD) by bench/scale_run.sh. SimGrid finds out which ranks share a
 * node, once per communicator and outside of what is timed, by an all-gather of one int around a
 * ring of all ranks: p^2 messages, 17 million for 4096 ranks, which take the simulator half an
 * hour. Here Bruck's does it, p log p messages. What is longer than one element goes its usual way.
 */
#include <dlfcn.h>

typedef int allgather(const void *sendbuf, int sendcount, void *sendtype, void *recvbuf,
                      int recvcount, void *recvtype, void *comm);

/* simgrid::smpi::allgather__ring and allgather__bruck. The second is weak as the shell that starts
 * the simulation has this loaded too. */
allgather ring __asm__("_ZN7simgrid4smpi15allgather__ringEPKviPNS0_8DatatypeEPviS4_PNS0_4CommE");
__attribute__((weak))
allgather bruck __asm__("_ZN7simgrid4smpi16allgather__bruckEPKviPNS0_8DatatypeEPviS4_PNS0_4CommE");

__attribute__((visibility("default"))) int ring(const void *sendbuf, int sendcount, void *sendtype,
                                                void *recvbuf, int recvcount, void *recvtype,
                                                void *comm)
{
    allgather *usual = 0;
    if (sendcount == 1 && recvcount == 1)
        return bruck(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    *(void **)&usual =
        dlsym(RTLD_NEXT, "_ZN7simgrid4smpi15allgather__ringEPKviPNS0_8DatatypeEPviS4_PNS0_4CommE");
    return usual(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

/* What the library agrees on with all ranks, it waits for at once, so these may as well block: as
 * SimGrid has them every rank sends to every other one at once, which takes the simulator p^4
 * steps. None is in what is timed. simgrid::smpi::colls::iallgather and iallreduce, and
 * allreduce__rdb. */
#define IALLGATHER                                                                                 \
    "_ZN7simgrid4smpi5colls10iallgatherEPKviPNS0_8DatatypeEPviS5_PNS0_4CommEPPNS0_7RequestEi"
#define IALLREDUCE                                                                                 \
    "_ZN7simgrid4smpi5colls10iallreduceEPKvPviPNS0_8DatatypeEPNS0_2OpEPNS0_4CommEPPNS0_7RequestEi"

typedef int iallgather(const void *sendbuf, int sendcount, void *sendtype, void *recvbuf,
                       int recvcount, void *recvtype, void *comm, void **request, int external);
typedef int iallreduce(const void *sendbuf, void *recvbuf, int count, void *type, void *op,
                       void *comm, void **request, int external);
typedef int allreduce(const void *sendbuf, void *recvbuf, int count, void *type, void *op,
                      void *comm);
iallgather gather_now __asm__(IALLGATHER);
iallreduce reduce_now __asm__(IALLREDUCE);
__attribute__((weak)) allreduce
    doubling __asm__("_ZN7simgrid4smpi14allreduce__rdbEPKvPviPNS0_8DatatypeEPNS0_2OpEPNS0_4CommE");

__attribute__((visibility("default"))) int gather_now(const void *sendbuf, int sendcount,
                                                      void *sendtype, void *recvbuf, int recvcount,
                                                      void *recvtype, void *comm, void **request,
                                                      int external)
{
    (void)external;
    *request = 0;
    return bruck(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

__attribute__((visibility("default"))) int reduce_now(const void *sendbuf, void *recvbuf, int count,
                                                      void *type, void *op, void *comm,
                                                      void **request, int external)
{
    (void)external;
    *request = 0;
    return doubling(sendbuf, recvbuf, count, type, op, comm);
}
