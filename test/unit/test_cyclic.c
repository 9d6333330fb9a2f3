/* SPDX-License-Identifier: BSD-3-Clause */
/* Block-cyclic index maps, against dealing element by element: all small extents and blocks, both
 * dimensions and grids. Also sums of local extents, a literal copy of ScaLAPACK's NUMROC, overlaps
 * of two distributions, and indices beyond 2^31. */
#include <limits.h>

#include "compute/combs.h"
#include "matrix/grid.h"
#include "unit/unit.h"

enum { MOST = 12, MOST_PARTS = 4, MOST_BLOCK = 5 };

/* Deals the indices one by one. */
struct dealt {
    int part[MOST];
    int64_t offset[MOST];
    int64_t extent[MOST_PARTS];
};

static void deal(int64_t extent, int64_t block, int parts, struct dealt *dealt)
{
    int part = 0;
    memset(dealt, 0, sizeof *dealt);
    for (int64_t i = 0, left = block; i < extent; i++, left--) {
        if (!left) {
            part = part + 1 == parts ? 0 : part + 1;
            left = block;
        }
        dealt->part[i] = part;
        dealt->offset[i] = dealt->extent[part]++;
    }
}

/* ScaLAPACK's function, for source process 0. */
static int64_t numroc(int64_t n, int64_t nb, int iproc, int nprocs)
{
    int64_t nblocks = n / nb;
    int64_t result = (nblocks / nprocs) * nb;
    int64_t extra = nblocks % nprocs;
    if (iproc < extra)
        result += nb;
    else if (iproc == extra)
        result += n % nb;
    return result;
}

TEST(every_small_one)
{
    long maps = 0;
    for (int64_t extent = 0; extent <= MOST; extent++)
        for (int64_t block = 1; block <= MOST_BLOCK; block++)
            for (int parts = 1; parts <= MOST_PARTS; parts++) {
                const struct summand__cyclic cyclic = {extent, block, parts};
                struct dealt dealt;
                int64_t sum = 0;
                deal(extent, block, parts, &dealt);
                assert_int_equal(summand__cyclic_blocks(&cyclic), (extent + block - 1) / block);
                for (int64_t i = 0; i < extent; i++) {
                    int part = summand__cyclic_part(&cyclic, i);
                    int64_t offset = summand__cyclic_offset(&cyclic, i);
                    assert_int_equal(part, dealt.part[i]);
                    assert_int_equal(offset, dealt.offset[i]);
                    assert_int_equal(summand__cyclic_index(&cyclic, part, offset), i);
                    maps++;
                }
                for (int p = 0; p < parts; p++) {
                    int64_t own = summand__cyclic_extent(&cyclic, p);
                    assert_int_equal(own, dealt.extent[p]);
                    assert_int_equal(own, numroc(extent, block, p, parts));
                    sum += own;
                }
                assert_int_equal(sum, extent);
            }
    print_message("%ld indices there and back\n", maps);
}

TEST(every_small_grid)
{
    const int group[MOST_PARTS * 3] = {7, 3, 11, 0, 9, 1, 2, 10, 4, 8, 6, 5};
    long elements = 0;
    for (int64_t m = 0; m <= MOST; m++)
        for (int64_t n = 0; n <= MOST; n++)
            for (int64_t block = 0; block < MOST_BLOCK * MOST_BLOCK; block++)
                for (int p = 1; p <= MOST_PARTS; p++)
                    for (int q = 1; q <= 3; q++) {
                        const struct summand__grid grid = {
                            {m, block / MOST_BLOCK + 1, p}, {n, block % MOST_BLOCK + 1, q}, group};
                        int64_t sum = 0;
                        for (int64_t i = 0; i < m; i++)
                            for (int64_t j = 0; j < n; j++) {
                                int64_t row, column, i2, j2, rows, columns;
                                int process = summand__grid_owner(&grid, i, j);
                                summand__grid_local(&grid, i, j, &row, &column);
                                summand__grid_extent(&grid, process, &rows, &columns);
                                summand__grid_global(&grid, process, row, column, &i2, &j2);
                                assert_true(i2 == i && j2 == j && row < rows && column < columns);
                                elements++;
                            }
                        for (int k = 0; k < p * q; k++) {
                            int64_t rows, columns;
                            summand__grid_extent(&grid, k, &rows, &columns);
                            assert_int_equal(summand__grid_process(&grid, group[k]), k);
                            sum += rows * columns;
                        }
                        assert_int_equal(sum, m * n);
                        assert_int_equal(summand__grid_process(&grid, 12), -1);
                    }
    print_message("%ld elements there and back\n", elements);
}

static bool has(const struct summand__share *share, int64_t index)
{
    for (int64_t at = share->first; at < share->end; at += share->stride) {
        if (index >= at && index < at + share->width && index < share->end)
            return true;
        if (!share->stride)
            break;
    }
    return false;
}

/* The combs of two shares, expanded, are the common indices in order, at the positions that the
 * maps give. */
static void check_common(const struct summand__cyclic cyclic[2], const int part[2])
{
    const struct summand__share from = summand__cyclic_share(&cyclic[0], part[0]);
    const struct summand__share to = summand__cyclic_share(&cyclic[1], part[1]);
    for (int view = SUMMAND__VIEW_SENDER; view <= SUMMAND__VIEW_LOCAL; view++) {
        struct summand__combs combs;
        int64_t index = 0;
        size_t position = 0, runs = 0;
        summand__combs_make(&combs, &from, &to, (enum summand__view)view);
        assert_false(combs.failed);
        for (size_t c = 0; c < combs.length; c++)
            for (size_t k = 0; k < combs.comb[c].teeth; k++, runs++)
                for (size_t w = 0; w < combs.comb[c].width; w++, index++, position++) {
                    const struct summand__comb *comb = &combs.comb[c];
                    while (index < cyclic[0].extent &&
                           (summand__cyclic_part(&cyclic[0], index) != part[0] ||
                            summand__cyclic_part(&cyclic[1], index) != part[1]))
                        index++;
                    assert_true(index < cyclic[0].extent);
                    assert_int_equal(comb->from + k * comb->from_step + w,
                                     view == SUMMAND__VIEW_RECEIVER
                                         ? (int64_t)position
                                         : summand__cyclic_offset(&cyclic[0], index));
                    assert_int_equal(comb->to + k * comb->to_step + w,
                                     view == SUMMAND__VIEW_SENDER
                                         ? (int64_t)position
                                         : summand__cyclic_offset(&cyclic[1], index));
                }
        for (; index < cyclic[0].extent; index++)
            assert_false(has(&from, index) && has(&to, index));
        assert_int_equal(position, combs.total);
        assert_int_equal(runs, combs.runs);
        summand__combs_free(&combs);
    }
}

TEST(what_two_have_in_common)
{
    struct summand__cyclic cyclic[2];
    long pairs = 0;
    for (int64_t extent = 0; extent <= MOST; extent++)
        for (int64_t blocks = 0; blocks < MOST_BLOCK * MOST_BLOCK; blocks++)
            for (int parts = 0; parts < MOST_PARTS * MOST_PARTS; parts++) {
                cyclic[0] = (struct summand__cyclic){extent, blocks / MOST_BLOCK + 1,
                                                     parts / MOST_PARTS + 1};
                cyclic[1] = (struct summand__cyclic){extent, blocks % MOST_BLOCK + 1,
                                                     parts % MOST_PARTS + 1};
                int part[2];
                for (part[0] = 0; part[0] < cyclic[0].parts; part[0]++)
                    for (part[1] = 0; part[1] < cyclic[1].parts; part[1]++, pairs++)
                        check_common(cyclic, part);
            }
    print_message("%ld pairs of shares\n", pairs);
}

/* An interval of indices instead of one of the shares. */
TEST(intervals)
{
    for (int64_t block = 1; block <= MOST_BLOCK; block++)
        for (int part = 0; part < 3; part++)
            for (int64_t first = 0; first <= MOST; first++)
                for (int64_t count = 0; first + count <= MOST; count++) {
                    const struct summand__cyclic cyclic = {MOST, block, 3};
                    const struct summand__share from = summand__cyclic_share(&cyclic, part);
                    const struct summand__share to = summand__interval_share(first, count);
                    struct summand__overlap overlap;
                    int64_t seen = 0, right = 0;
                    for (int64_t i = first; i < first + count; i++)
                        right += summand__cyclic_part(&cyclic, i) == part;
                    for (int64_t i = 0; summand__overlap_next(&from, &to, i, &overlap);
                         i = overlap.index + overlap.count) {
                        assert_true(overlap.count > 0 && overlap.index >= i);
                        assert_int_equal(overlap.to, overlap.index - first);
                        assert_int_equal(overlap.from,
                                         summand__cyclic_offset(&cyclic, overlap.index));
                        assert_true(overlap.index + overlap.count <= first + count);
                        seen += overlap.count;
                    }
                    assert_int_equal(seen, right);
                }
}

TEST(beyond_an_int)
{
    const int64_t tera = INT64_C(1) << 40, most = INT64_C(1) << 62;
    const struct summand__cyclic wide = {tera + 7, 64, 3}, huge = {most, most / 3, 7};
    for (int64_t i = tera - 1000; i < tera + 7; i++) {
        int part = (int)(i / 64 % 3);
        int64_t offset = i / 192 * 64 + i % 64;
        assert_int_equal(summand__cyclic_part(&wide, i), part);
        assert_int_equal(summand__cyclic_offset(&wide, i), offset);
        assert_int_equal(summand__cyclic_index(&wide, part, offset), i);
    }
    assert_int_equal(summand__cyclic_extent(&wide, 0) + summand__cyclic_extent(&wide, 1) +
                         summand__cyclic_extent(&wide, 2),
                     tera + 7);
    int64_t sum = 0;
    for (int p = 0; p < 7; p++) {
        struct summand__share share = summand__cyclic_share(&huge, p);
        struct summand__interval interval;
        int64_t own = summand__cyclic_extent(&huge, p);
        assert_int_equal(own, numroc(most, most / 3, p, 7));
        assert_int_equal(summand__share_next(&share, 0, &interval), own > 0);
        assert_true(!own || (interval.count == own && interval.index == p * (most / 3)));
        sum += own;
    }
    assert_int_equal(sum, most);
    /* The last common indices of two distributions, starting far behind the first. */
    const struct summand__cyclic other = {tera + 7, 100, 2};
    const struct summand__share a = summand__cyclic_share(&wide, 1);
    const struct summand__share b = summand__cyclic_share(&other, 0);
    struct summand__overlap overlap;
    int64_t seen = 0, right = 0;
    for (int64_t i = tera - 5000; summand__overlap_next(&a, &b, i, &overlap);
         i = overlap.index + overlap.count) {
        assert_int_equal(overlap.from, summand__cyclic_offset(&wide, overlap.index));
        assert_int_equal(overlap.to, summand__cyclic_offset(&other, overlap.index));
        seen += overlap.count;
    }
    for (int64_t i = tera - 5000; i < tera + 7; i++)
        right += i / 64 % 3 == 1 && i / 100 % 2 == 0;
    assert_int_equal(seen, right);
}

TEST(descriptors)
{
    const int group[] = {0};
    struct summand__grid grid = {{100, 7, 1}, {50, 3, 1}, group};
    const int right[9] = {1, 42, 100, 50, 7, 3, 0, 0, 111};
    int descriptor[9];
    assert_true(summand__grid_scalapack(&grid, 42, 111, descriptor));
    assert_memory_equal(descriptor, right, sizeof right);
    grid.rows.extent = (int64_t)INT_MAX + 1;
    assert_false(summand__grid_scalapack(&grid, 42, 111, descriptor));
}
