/* SPDX-License-Identifier: BSD-3-Clause */
#include "op/packing.h"

#include "base/int_max.h"

/* Elements of one call of the MPI, of `left`. */
static size_t at_once(const struct summand__packing *packing, size_t left)
{
    const size_t most = packing->size ? SUMMAND_INT_MAX / packing->size : SUMMAND_INT_MAX;
    return left < most ? left : most + !most;
}

int summand__pack(const struct summand__packing *packing, const void *elements, size_t count,
                  unsigned char *bytes)
{
    int code = MPI_SUCCESS;
    for (size_t done = 0, n; done < count && code == MPI_SUCCESS; done += n) {
        n = at_once(packing, count - done);
        int position = 0;
        code = PMPI_Pack((const unsigned char *)elements + done * packing->extent, (int)n,
                         packing->datatype, bytes + done * packing->size, (int)(n * packing->size),
                         &position, packing->comm);
    }
    return code;
}

int summand__unpack(const struct summand__packing *packing, const unsigned char *bytes,
                    void *elements, size_t count)
{
    int code = MPI_SUCCESS;
    for (size_t done = 0, n; done < count && code == MPI_SUCCESS; done += n) {
        n = at_once(packing, count - done);
        int position = 0;
        code = PMPI_Unpack(bytes + done * packing->size, (int)(n * packing->size), &position,
                           (unsigned char *)elements + done * packing->extent, (int)n,
                           packing->datatype, packing->comm);
    }
    return code;
}
