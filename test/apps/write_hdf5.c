/* SPDX-License-Identifier: BSD-3-Clause */
/* Each rank writes rows of one data set by collective I/O and reads those of its neighbour. The
 * file stays open: HDF5 closes it in MPI_Finalize. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROWS = 100, COLUMNS = 60 };

int main(int argc, char **argv)
{
    static double block[ROWS][COLUMNS];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    hid_t file = H5Fcreate("rows.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hsize_t all[2] = {(hsize_t)ranks * ROWS, COLUMNS}, own[2] = {ROWS, COLUMNS};
    hid_t space = H5Screate_simple(2, all, NULL), memory = H5Screate_simple(2, own, NULL);
    hid_t data =
        H5Dcreate2(file, "rows", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        block[0][i] = rank + i;
    hsize_t from[2] = {(hsize_t)rank * ROWS, 0};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, own, NULL);
    herr_t status = H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, transfer, block);
    from[0] = (hsize_t)((rank + 1) % ranks) * ROWS;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, own, NULL);
    status |= H5Fflush(file, H5F_SCOPE_GLOBAL);
    status |= H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, transfer, block);
    double sum = 0, total = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sum += block[0][i];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("status %d, sum %.1f\n", status, total);
    MPI_Finalize();
    return status != 0;
}
