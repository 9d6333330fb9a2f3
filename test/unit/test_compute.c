/* SPDX-License-Identifier: BSD-3-Clause */
/* Every kernel of the table on rectangles with gaps: results match its definition, with links in
 * order, and nothing else is touched. The bits do not depend on how rows are cut. Shapes that do
 * not fit are refused. */
#include "compute/kernels.h"
#include "lab/verify/shapes.h"
#include "schedule/compute.h"
#include "unit/unit.h"

enum { ROOM = 4000 };

static uint32_t random_state = 99;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * below >> 24);
}

struct area {
    double before[ROOM], after[ROOM];
    struct summand__array array;
};

static void lay_out(struct area *area, size_t rows, size_t count)
{
    size_t first = 3 + draw(5);
    for (size_t i = 0; i < ROOM; i++)
        area->before[i] = area->after[i] = (double)draw(1000) / 7 - 60;
    area->array = (struct summand__array){area->after + first, {rows, count, count + draw(4)}};
}

/* The rectangle that holds the input of a part of the result. */
static void lay_out_part(struct area *area, enum summand__operand_part part, size_t rows,
                         size_t count, size_t links)
{
    switch (part) {
    case SUMMAND__ROW:
        lay_out(area, rows, links);
        break;
    case SUMMAND__COLUMN:
        lay_out(area, links, count);
        break;
    case SUMMAND__COLUMN_I:
        lay_out(area, links, rows);
        break;
    default:
        lay_out(area, rows, count);
    }
}

static double before(const struct area *area, size_t element)
{
    return area->before[(const double *)area->array.data - area->after + element];
}

/* Products are links of chains; the only map is a sum. */
static double meant(const struct summand__kernel *kernel, const struct area area[3], bool begins,
                    size_t i, size_t j, size_t links)
{
    double made = begins ? 0 : before(&area[2], i * area[2].array.shape.pitch + j);
    size_t number = i * area[2].array.shape.count + j, width = area[0].array.shape.count;
    if (kernel->meaning == SUMMAND__PACK)
        return before(&area[0], number / width * area[0].array.shape.pitch + number % width);
    if (kernel->meaning == SUMMAND__TURN)
        return before(&area[0], j * area[0].array.shape.pitch + i);
    for (size_t k = 0; k < links; k++) {
        double a =
            before(&area[0], summand__part_element(kernel->from, &area[0].array.shape, i, j, k));
        double b =
            before(&area[1], summand__part_element(kernel->with, &area[1].array.shape, i, j, k));
        made = kernel->meaning == SUMMAND__MAP ? a + b : made + a * b;
    }
    return made;
}

static void try_kernel(const struct summand__kernel *kernel)
{
    static struct area area[3];
    size_t rows = 1 + draw(9), count = 1 + draw(11), wrong = 0;
    size_t links = kernel->meaning == SUMMAND__CHAIN ? 1 + draw(8) : 1;
    bool begins = draw(2);
    lay_out(&area[2], rows, count);
    if (kernel->meaning == SUMMAND__PACK || kernel->meaning == SUMMAND__TURN)
        lay_out(&area[0], count, rows);
    else
        lay_out_part(&area[0], kernel->from, rows, count, links);
    lay_out_part(&area[1], kernel->with, rows, count, links);
    struct summand__work work = {
        .from = area[0].array, .with = area[1].array, .to = area[2].array, .begins = begins};
    for (size_t first = 0, n; first < rows; first += n) {
        n = 1 + draw((uint32_t)(rows - first));
        assert_int_equal(kernel->run(&work, sizeof(double), first, n), 0);
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < count; j++) {
            double *made = (double *)area[2].array.data + i * area[2].array.shape.pitch + j;
            double right = meant(kernel, area, begins, i, j, links);
            wrong += memcmp(made, &right, sizeof right) != 0;
            *made = area[2].before[made - area[2].after];
        }
    for (int a = 0; a < 3; a++)
        wrong += memcmp(area[a].before, area[a].after, sizeof area[a].before) != 0;
    if (wrong)
        fail_msg("%s: %zu x %zu, %zu links: %zu wrong", kernel->name, rows, count, links, wrong);
    assert_true(kernel->effort(&work, sizeof(double)).bytes > 0);
}

TEST(every_kernel)
{
    for (int k = 0; summand__kernels[k]; k++) {
        assert_ptr_equal(summand__kernel_named(summand__kernels[k]->name), summand__kernels[k]);
        for (int i = 0; i < 300; i++)
            try_kernel(summand__kernels[k]);
    }
}

static bool fits(const char *name, struct summand__rectangle from, struct summand__rectangle with,
                 struct summand__rectangle to)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    summand__compute(&schedule, summand__kernel_named(name),
                     (struct summand__tile){SUMMAND__PLACES, 0, from},
                     (struct summand__tile){SUMMAND__PLACES, 0, with},
                     (struct summand__tile){SUMMAND__PLACES, 0, to}, false);
    assert_false(schedule.failed);
    assert_int_equal(schedule.length, 1);
    bool good = summand__computation_fits(&schedule.tables->computations[0], &schedule.steps[0]);
    summand__schedule_free(&schedule);
    return good;
}

TEST(shapes)
{
    const struct summand__rectangle a = {3, 4, 4}, b = {4, 5, 6}, c = {3, 5, 5}, narrow = {3, 5, 4};
    assert_true(fits("product", a, b, c));
    assert_false(fits("product", b, a, c));
    assert_false(fits("product", a, b, a));
    assert_false(fits("product", a, b, narrow)); /* rows that overlap */
    assert_true(fits("outer", b, b, (struct summand__rectangle){5, 5, 5}));
    assert_false(fits("outer", a, b, c));
    assert_true(fits("add", a, a, a));
    assert_false(fits("add", a, c, a));
    assert_true(fits("pack", a, a, (struct summand__rectangle){2, 6, 9}));
    assert_false(fits("pack", a, a, c));
    assert_true(fits("transpose", a, a, (struct summand__rectangle){4, 3, 9}));
    assert_false(fits("transpose", a, a, (struct summand__rectangle){3, 4, 9}));
}
