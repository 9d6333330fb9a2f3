#include "base/environment.h"

#include <stddef.h>

const struct summand__environment_row summand__environment[] = {
    {"SUMMAND_ARCH", "generic|avx2|avx512|neon", "the best that the processor has",
     "instruction set of the kernels; changes the speed, never a result"},
    {"SUMMAND_NODE_SIZE", "number", "ranks that share memory",
     "ranks per node, consecutive ones: for simulators and tests"},
    {"SUMMAND_TRANSPORT", "auto|p2p|shm", "auto",
     "shared memory between ranks of a node where it can be had (auto), an error where not (shm), "
     "or messages of the MPI only (p2p); rank 0's holds for all"},
    {"SUMMAND_FAULT", "rank=R,variable=V,component=C,bit=B,round=T;...", "no fault",
     "flips a bit in summand_gossip_allreduce; V: input, flow, message; C: value, weight, "
     "checksum"},
    {NULL, NULL, NULL, NULL}};
