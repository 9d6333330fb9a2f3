/* SPDX-License-Identifier: BSD-3-Clause */
/* Networks against the definition in double precision: outputs and losses by triple loops with the
 * system's exp, gradients by finite differences of these. */
#include <fenv.h>

#include <math.h>
#include <summand/network.h>

#include "network/model_file.h"
#include "unit/train.h"
#include "unit/unit.h"

enum { MOST = 40, SAMPLES = 5 };

static uint64_t state = 1;

static double draw(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-52 - 1;
}

static double activate(const char *name, double z)
{
    if (!strcmp(name, "sigmoid"))
        return 1 / (1 + exp(-z));
    if (!strcmp(name, "tanh"))
        return tanh(z);
    return strcmp(name, "relu") != 0 || z > 0 ? z : 0;
}

/* The loss of one sample, by the definition; outputs to `y`. */
static double oracle(const struct summand__net_shape *shape, double *const *w, const float *x,
                     const float *target, double *y)
{
    double in[MOST], out[MOST], sum = 0, loss = 0;
    for (size_t i = 0; i < shape->widths[0]; i++)
        in[i] = (double)x[i];
    for (int l = 1; l <= shape->layers; l++) {
        size_t rows = shape->widths[l - 1], columns = shape->widths[l];
        bool softmax = l == shape->layers && shape->loss->is_softmax;
        for (size_t j = 0; j < columns; j++) {
            double z = w[l][rows * columns + j];
            for (size_t i = 0; i < rows; i++)
                z += in[i] * w[l][i * columns + j];
            out[j] = softmax ? exp(z)
                             : activate((l < shape->layers ? shape->hidden : shape->last)->name, z);
        }
        memcpy(in, out, sizeof in);
    }
    size_t n = shape->widths[shape->layers];
    for (size_t j = 0; j < n; j++)
        sum += in[j];
    for (size_t j = 0; j < n; j++) {
        y[j] = shape->loss->is_softmax ? in[j] / sum : in[j];
        if (shape->loss->is_softmax)
            loss -= target[j] == 1 ? log(y[j]) : 0;
        else
            loss += (y[j] - (double)target[j]) * (y[j] - (double)target[j]) / 2;
    }
    return loss;
}

static double all(const struct summand__net_shape *shape, double *const *w, const float *x,
                  const float *targets)
{
    double y[MOST], loss = 0;
    for (size_t s = 0; s < SAMPLES; s++)
        loss += oracle(shape, w, x + s * shape->widths[0],
                       targets + s * shape->widths[shape->layers], y);
    return loss;
}

static void check_gradients(const struct summand__net_shape *shape, struct summand__net_pass *pass,
                            double *const *w, const float *x, const float *targets)
{
    struct summand__net_weights g;
    assert_true(summand__net_weights_make(&g, shape, 1, shape->layers));
    for (int l = 1; l <= shape->layers; l++) {
        const struct summand__net_matrix *m = &g.layer[l];
        train_pass_gradient(pass, l, SAMPLES, 1, 0, &g.layer[l]);
        for (size_t i = 0; i < m->rows; i++)
            for (size_t j = 0; j < m->columns; j++) {
                double *at = &w[l][i * m->columns + j], kept = *at, h = 1e-5;
                *at = kept + h;
                double above = all(shape, w, x, targets);
                *at = kept - h;
                double slope = (above - all(shape, w, x, targets)) / (2 * h);
                *at = kept;
                double ours = (double)m->at[i * m->ld + j];
                if (fabs(ours - slope) > 2e-5 * (1 + fabs(slope)))
                    fail_msg("layer %d, %zu, %zu: %g, by differences %g", l, i, j, ours, slope);
            }
    }
    summand__net_weights_free(&g);
}

/* The public calls: the definition's outputs; the bits of a sample do not depend on those beside
 * it. */
static void check_calls(const struct summand__net_shape *shape,
                        const struct summand__net_weights *weights, double *const *w,
                        const float *x)
{
    enum { MANY = 131 }; /* several blocks, and a part of one */
    char name[] = "/tmp/summand-network-XXXXXX", error[128] = "none";
    size_t in = shape->widths[0], out = shape->widths[shape->layers];
    struct summand__net_fault fault = {.text = ""};
    summand_network *network, *longer;
    float many[MANY * MOST], y[MANY * MOST], alone[MOST] = {0};
    int32_t classes[MANY];
    double expected[MOST];
    int file = mkstemp(name);
    assert_true(file >= 0 && !close(file));
    assert_true(summand__net_model_save(name, shape, weights, &fault));
    feclearexcept(FE_ALL_EXCEPT);
    assert_int_equal(summand_network_load(name, &network, error, sizeof error), 0);
    assert_int_equal(truncate(name, (off_t)1 << 40), 0); /* it takes no place on the disk */
    assert_int_equal(summand_network_load(name, &longer, error, sizeof error), -1);
    assert_non_null(strstr(error, ": longer than its layers"));
    snprintf(error, sizeof error, "none");
    unlink(name);
    assert_int_equal(summand_network_inputs(network), in);
    assert_int_equal(summand_network_outputs(network), out);
    assert_int_equal(summand_network_has_probabilities(network), shape->loss->is_softmax);
    for (size_t s = 0; s < MANY; s++)
        memcpy(many + s * in, x + s % SAMPLES * in, in * sizeof *many);
    assert_int_equal(summand_network_run(network, MANY, many, y, classes, error, sizeof error), 0);
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
    for (size_t s = 0; s < MANY; s++) {
        size_t greatest = 0;
        oracle(shape, w, many + s * in, alone, expected);
        for (size_t j = 0; j < out; j++) {
            assert_true(fabs(expected[j] - (double)y[s * out + j]) <
                        1e-5 * (1 + fabs(expected[j])));
            greatest = y[s * out + j] > y[s * out + greatest] ? j : greatest;
        }
        assert_int_equal(classes[s], greatest);
        assert_int_equal(summand_network_run(network, 1, many + s * in, alone, NULL, NULL, 0), 0);
        assert_memory_equal(alone, y + s * out, out * sizeof *alone);
    }
    assert_string_equal(error, "none");
    assert_int_equal(summand_network_run(network, 0, NULL, NULL, NULL, NULL, 0), 0);
    assert_int_equal(summand_network_run(network, 1, NULL, y, NULL, error, sizeof error), -1);
    assert_string_equal(error, "summand_network_run: inputs is NULL");
    summand_network_free(&network);
    assert_null(network);
    summand_network_free(&network);
}

static void check(const char *hidden, const char *last, const char *loss, int layers,
                  const size_t *widths, const struct summand__net_arithmetic *arithmetic)
{
    struct summand__net_shape shape = train_test_shape(hidden, last, loss, layers, widths);
    struct summand__net_weights weights;
    struct summand__net_pass pass;
    double *w[SUMMAND__NET_LAYERS_MOST + 1], y[MOST];
    float x[SAMPLES * MOST], losses[SAMPLES], targets[SAMPLES * MOST];
    bool right[SAMPLES];
    assert_true(summand__net_weights_make(&weights, &shape, 1, layers));
    train_weights_draw(&weights, &shape, 3);
    assert_true(summand__net_pass_make(&pass, &shape, arithmetic, SAMPLES + 2, 1, layers));
    for (int l = 1; l <= layers; l++) {
        struct summand__net_matrix *m = &weights.layer[l];
        w[l] = malloc(m->rows * m->columns * sizeof **w);
        assert_non_null(w[l]);
        for (size_t j = 0; j < m->columns; j++)
            m->at[(m->rows - 1) * m->ld + j] = (float)draw() / 2;
        for (size_t i = 0; i < m->rows * m->columns; i++)
            w[l][i] = (double)m->at[i / m->columns * m->ld + i % m->columns];
    }
    for (size_t i = 0; i < SAMPLES * widths[0]; i++) {
        x[i] = (float)draw();
        pass.x[0].at[i / widths[0] * pass.x[0].ld + i % widths[0]] = x[i];
    }
    for (size_t i = 0; i < SAMPLES * widths[layers]; i++) /* a class, or any numbers */
        targets[i] = shape.loss->is_softmax
                         ? (float)(i % widths[layers] == i / widths[layers] % widths[layers])
                         : (float)draw();
    for (int l = 1; l <= layers; l++)
        summand__net_pass_forward(&pass, &weights, l, SAMPLES);
    check_calls(&shape, &weights, w, x);
    train_pass_loss(&pass, targets, SAMPLES, losses, right);
    for (int s = 0; s < SAMPLES; s++) {
        const float *target = targets + (size_t)s * widths[layers];
        double expected = oracle(&shape, w, x + (size_t)s * widths[0], target, y);
        size_t greatest = 0, wanted = 0;
        assert_true(fabs(expected - (double)losses[s]) < 1e-5 * (1 + fabs(expected)));
        for (size_t j = 0; j < widths[layers]; j++) {
            assert_true(fabs(y[j] - (double)pass.x[layers].at[(size_t)s * pass.x[layers].ld + j]) <
                        1e-5 * (1 + fabs(y[j])));
            greatest = y[j] > y[greatest] ? j : greatest;
            wanted = target[j] > target[wanted] ? j : wanted;
        }
        assert_int_equal(right[s], greatest == wanted);
    }
    for (int l = layers; l > 1; l--)
        train_pass_backward(&pass, &weights, l, SAMPLES);
    check_gradients(&shape, &pass, w, x, targets);
    for (int l = 1; l <= layers; l++)
        free(w[l]);
    summand__net_weights_free(&weights);
    summand__net_pass_free(&pass);
}

TEST(gradients)
{
    static const size_t one[] = {7, 3}, two[] = {17, 33, 4}, deep[] = {5, 16, 1, 9, 31, 2};
    static const char *const losses[][2] = {{"cross-entropy", "linear"},
                                            {"squared", "sigmoid"},
                                            {"squared", "tanh"},
                                            {"squared", "linear"},
                                            {"squared", "relu"}};
    for (int a = 0; summand__net_arithmetics[a] &&
                    summand__net_arithmetic_available(summand__net_arithmetics[a]);
         a++)
        for (int h = 0; summand__net_activations[h]; h++)
            for (size_t o = 0; o < sizeof losses / sizeof *losses; o++) {
                const char *hidden = summand__net_activations[h]->name;
                check(hidden, losses[o][1], losses[o][0], 1, one, summand__net_arithmetics[a]);
                check(hidden, losses[o][1], losses[o][0], 2, two, summand__net_arithmetics[a]);
                check(hidden, losses[o][1], losses[o][0], 5, deep, summand__net_arithmetics[a]);
            }
}

/* Errors of loading are sentences; a short room cuts them. */
TEST(load_refuses)
{
    char error[200];
    summand_network *network = (summand_network *)error;
    assert_int_equal(summand_network_load("no/such.model", &network, error, sizeof error), -1);
    assert_string_equal(error, "no/such.model: No such file or directory");
    assert_null(network);
    assert_int_equal(summand_network_load("no/such.model", &network, error, 8), -1);
    assert_string_equal(error, "no/such");
    assert_int_equal(summand_network_load("no/such.model", &network, NULL, 0), -1);
    assert_int_equal(summand_network_load("/dev/zero", &network, error, sizeof error), -1);
    assert_string_equal(error, "/dev/zero: not a regular file");
    assert_int_equal(summand_network_load(NULL, &network, error, sizeof error), -1);
    assert_non_null(strstr(error, "path is NULL"));
    assert_int_equal(summand_network_load("x", NULL, error, sizeof error), -1);
    assert_int_equal(summand_network_run(NULL, 1, NULL, NULL, NULL, error, sizeof error), -1);
    assert_string_equal(error, "summand_network_run: network is NULL");
}

/* Products of every kind against sums in double, with sizes across tiles and blocks of terms. */
TEST(products)
{
    static const size_t sizes[][3] = {{1, 1, 1},   {3, 5, 0},     {16, 16, 16},
                                      {17, 40, 7}, {33, 18, 129}, {64, 10, 300}};
    for (int a = 0; summand__net_arithmetics[a] &&
                    summand__net_arithmetic_available(summand__net_arithmetics[a]);
         a++)
        for (size_t c = 0; c < 4 * sizeof sizes / sizeof *sizes; c++) {
            size_t m = sizes[c / 4][0], n = sizes[c / 4][1], k = sizes[c / 4][2];
            bool ta = c & 1, tb = c & 2;
            size_t lda = (ta ? m : k) + 3, ldb = (tb ? k : n) + 1, ldc = n + 2;
            float *x = calloc((ta ? k : m) * lda + 1, sizeof *x);
            float *y = calloc((tb ? n : k) * ldb + 1, sizeof *y);
            float *z = calloc(m * ldc, sizeof *z);
            for (size_t i = 0; i < (ta ? k : m) * lda; i++)
                x[i] = (float)draw();
            for (size_t i = 0; i < (tb ? n : k) * ldb; i++)
                y[i] = (float)draw();
            for (size_t i = 0; i < m * ldc; i++)
                z[i] = 2;
            bool update = (c / 4 + c) % 2;
            struct summand__net_product product = {
                m, n, k, ta, tb, x, y, z, lda, ldb, ldc, update ? -0.5f : 1, update ? 3 : 0};
            summand__net_multiply(summand__net_arithmetics[a], &product);
            for (size_t i = 0; i < m * ldc; i++) {
                size_t row = i / ldc, column = i % ldc;
                double sum = 0;
                for (size_t t = 0; t < k && column < n; t++)
                    sum += (double)x[ta ? t * lda + row : row * lda + t] *
                           (double)y[tb ? column * ldb + t : t * ldb + column];
                sum = column >= n ? 2 : update ? 6 - sum / 2 : sum;
                assert_true(fabs(sum - (double)z[i]) < 1e-4);
            }
            free(x);
            free(y);
            free(z);
        }
}

TEST(functions)
{
    for (double x = -86.9; x < 88; x += 0.00137) {
        double e = exp((double)(float)x);
        assert_true(fabs((double)summand__net_exp((float)x) - e) < 2.5e-7 * e);
        float v = (float)x;
        summand__net_activation_find("tanh")->apply(1, &v);
        assert_true(fabs((double)v - tanh((double)(float)x)) < 3e-7 * fabs(tanh(x)) + 1e-9);
        v = (float)x;
        summand__net_activation_find("sigmoid")->apply(1, &v);
        assert_true(fabs((double)v - 1 / (1 + exp(-(double)(float)x))) < 3e-7);
        double log_x = log((double)(float)(e));
        assert_true(fabs((double)summand__net_log((float)e) - log_x) < 2e-7 * fabs(log_x) + 1e-12);
    }
    assert_true(summand__net_exp(-INFINITY) == 0 && isinf(summand__net_exp(INFINITY)) &&
                isnan(summand__net_exp(NAN)));
    assert_true(isinf(summand__net_log(0)) && isnan(summand__net_log(NAN)) &&
                summand__net_log(1) == 0);
    float odd[] = {NAN, -3, 2};
    summand__net_activation_find("relu")->apply(3, odd);
    assert_true(isnan(odd[0]) && odd[1] == 0 && odd[2] == 2);
    float wrong[] = {-200, 200, 0};
    summand__net_loss_find("cross-entropy")->outputs(3, wrong);
    const float target[] = {1, 0, 0};
    assert_true(isfinite(summand__net_loss_find("cross-entropy")->value(3, wrong, target)));
}

/* A weight depends on its place alone, and is uniform in the limits of He or Glorot. */
TEST(drawing)
{
    static const size_t small[] = {30, 20, 10}, large[] = {50, 40, 10};
    struct summand__net_weights a, b;
    for (int h = 0; h < 3; h++) {
        const char *hidden = summand__net_activations[h]->name;
        struct summand__net_shape s = train_test_shape(hidden, hidden, "squared", 2, small);
        struct summand__net_shape t = train_test_shape(hidden, hidden, "squared", 2, large);
        assert_true(summand__net_weights_make(&a, &s, 1, 2) &&
                    summand__net_weights_make(&b, &t, 1, 2));
        train_weights_draw(&a, &s, 9);
        train_weights_draw(&b, &t, 9);
        double la = sqrt(6.0 / (h == 2 ? 30 : 50)), lb = sqrt(6.0 / (h == 2 ? 50 : 90));
        double mean = 0, square = 0;
        for (size_t i = 0; i < 30; i++)
            for (size_t j = 0; j < 20; j++) {
                double x = (double)a.layer[1].at[i * a.layer[1].ld + j] / la;
                double y = (double)b.layer[1].at[i * b.layer[1].ld + j] / lb;
                assert_true(fabs(x) <= 1 && fabs(x - y) < 1e-6);
                mean += x / 600;
                square += x * x / 600;
            }
        assert_true(fabs(mean) < 0.1 && fabs(square - 1.0 / 3) < 0.06);
        for (size_t j = 0; j < a.layer[1].ld; j++)
            assert_true(a.layer[1].at[30 * a.layer[1].ld + j] == 0);
        assert_true(a.layer[1].at[0] != a.layer[2].at[0] &&
                    a.layer[1].at[1] != a.layer[1].at[a.layer[1].ld]);
        summand__net_weights_free(&a);
        summand__net_weights_free(&b);
    }
}
