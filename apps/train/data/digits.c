/* SPDX-License-Identifier: BSD-3-Clause */
/* Digits drawn by strokes: lines between slightly displaced points. All points are turned,
 * stretched and shifted; pen widths vary, and the background has noise. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "train/data.h"

enum { SIDE = TRAIN_DIGIT_SIDE, POINTS = 13, CLASSES = 10 };

/* Percent of the square, downwards; a digit ends with -1. */
static const signed char strokes[CLASSES][POINTS + 1][2] = {
    {{50, 14},
     {66, 22},
     {72, 42},
     {72, 60},
     {64, 80},
     {50, 86},
     {36, 80},
     {28, 60},
     {28, 42},
     {36, 22},
     {50, 14},
     {-1}},
    {{35, 30}, {52, 15}, {52, 85}, {-1}},
    {{28, 32},
     {34, 20},
     {50, 14},
     {66, 20},
     {70, 34},
     {62, 50},
     {44, 66},
     {28, 84},
     {74, 84},
     {-1}},
    {{28, 22},
     {46, 14},
     {64, 20},
     {68, 34},
     {60, 46},
     {44, 48},
     {60, 50},
     {72, 62},
     {68, 78},
     {50, 86},
     {28, 80},
     {-1}},
    {{60, 86}, {60, 14}, {24, 62}, {78, 62}, {-1}},
    {{70, 15},
     {34, 15},
     {30, 46},
     {50, 42},
     {68, 50},
     {72, 66},
     {62, 82},
     {44, 86},
     {26, 78},
     {-1}},
    {{64, 16},
     {44, 28},
     {32, 48},
     {30, 68},
     {40, 84},
     {58, 84},
     {70, 72},
     {66, 56},
     {50, 50},
     {34, 58},
     {-1}},
    {{26, 16}, {74, 16}, {56, 48}, {44, 86}, {-1}},
    {{50, 48},
     {34, 38},
     {34, 22},
     {50, 14},
     {66, 22},
     {66, 38},
     {50, 48},
     {32, 60},
     {30, 76},
     {50, 86},
     {70, 76},
     {68, 60},
     {50, 48}},
    {{68, 36},
     {60, 48},
     {44, 48},
     {32, 36},
     {36, 20},
     {52, 14},
     {66, 22},
     {68, 36},
     {64, 62},
     {54, 86},
     {-1}}};

/* From -size to size. */
static float around(struct summand__random *random, float size)
{
    return size * (float)(2 * summand__random_unit(random) - 1);
}

struct pen {
    int points;
    float x[POINTS], y[POINTS], width, ink;
};

static void take_pen(struct pen *pen, struct summand__random *random, int digit)
{
    float wide = 0.24f + around(random, 0.045f), high = 0.25f + around(random, 0.035f);
    float lean = around(random, 0.09f), turn = around(random, 0.06f);
    float right = SIDE / 2.0f + around(random, 2), down = SIDE / 2.0f + around(random, 2);
    pen->width = 1.1f + around(random, 0.45f);
    pen->ink = 215 + around(random, 40);
    for (pen->points = 0; pen->points < POINTS; pen->points++) {
        const signed char *point = strokes[digit][pen->points];
        if (point[0] < 0)
            break;
        float x = (float)point[0] - 50 + around(random, 4.5f);
        float y = (float)point[1] - 50 + around(random, 4.5f);
        pen->x[pen->points] = wide * x - lean * y + right;
        pen->y[pen->points] = high * y + turn * x + down;
    }
}

/* The distance from a point to the line between two of the pen's points. */
static float distance(const struct pen *pen, int i, float x, float y)
{
    float dx = pen->x[i + 1] - pen->x[i], dy = pen->y[i + 1] - pen->y[i];
    float px = x - pen->x[i], py = y - pen->y[i], length = dx * dx + dy * dy;
    float t = length > 0 ? (px * dx + py * dy) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    px -= t * dx;
    py -= t * dy;
    return sqrtf(px * px + py * py);
}

static void draw_digit(uint64_t seed, uint64_t index, int digit, unsigned char *pixels)
{
    struct summand__random random = {summand__stream(seed, index)};
    struct pen pen;
    take_pen(&pen, &random, digit);
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            float nearest = SIDE;
            for (int i = 0; i + 1 < pen.points; i++) {
                float d = distance(&pen, i, (float)column + 0.5f, (float)row + 0.5f);
                nearest = d < nearest ? d : nearest;
            }
            float cover = pen.width + 0.5f - nearest;
            cover = cover < 0 ? 0 : cover > 1 ? 1 : cover;
            bool speck = summand__random_below(&random, 40) == 0;
            float value = pen.ink * cover + (speck ? around(&random, 90) : 0);
            pixels[row * SIDE + column] = (unsigned char)(value < 0     ? 0
                                                          : value > 255 ? 255
                                                                        : value);
        }
}

static void draw_all(uint64_t seed, uint64_t first, struct train_samples *part)
{
    for (size_t i = 0; i < part->count; i++) {
        uint64_t index = first + i;
        int digit = (int)(summand__stream(~seed, index) % CLASSES);
        part->label[i] = digit;
        draw_digit(seed, index, digit, (unsigned char *)part->values + i * part->features);
    }
}

bool train_data_digits(uint64_t seed, size_t train, size_t test, struct train_data *data,
                       struct summand__net_fault *fault)
{
    *data = (struct train_data){.classes = CLASSES};
    if (!train_samples_make(&data->train, train, SIDE * SIDE, true, fault) ||
        !train_samples_make(&data->test, test, SIDE * SIDE, true, fault)) {
        train_data_free(data);
        return false;
    }
    draw_all(seed, 0, &data->train);
    draw_all(seed, (uint64_t)1 << 40, &data->test);
    return true;
}
