/* Deposits of many terms. */
#include "exact/limbs.h"

#include <math.h>

void summand_exact_add(summand_exact *acc, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        summand__exact_add_one(acc, x[i]);
}

void summand_exact_add_f32(summand_exact *acc, size_t n, const float *x)
{
    for (size_t i = 0; i < n; i++)
        summand__exact_add_one(acc, x[i]);
}

void summand_exact_add_abs(summand_exact *acc, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        summand__exact_add_one(acc, fabs(x[i]));
}

void summand_exact_add_abs_f32(summand_exact *acc, size_t n, const float *x)
{
    for (size_t i = 0; i < n; i++)
        summand__exact_add_one(acc, fabsf(x[i]));
}

void summand_exact_add_squares(summand_exact *acc, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        summand__exact_add_product(acc, x[i], x[i]);
}

void summand_exact_add_squares_f32(summand_exact *acc, size_t n, const float *x)
{
    for (size_t i = 0; i < n; i++)
        summand__exact_add_product(acc, x[i], x[i]);
}

void summand_exact_add_products(summand_exact *acc, size_t n, const double *x, const double *y)
{
    for (size_t i = 0; i < n; i++)
        summand__exact_add_product(acc, x[i], y[i]);
}

void summand_exact_add_products_f32(summand_exact *acc, size_t n, const float *x, const float *y)
{
    for (size_t i = 0; i < n; i++)
        summand__exact_add_product(acc, x[i], y[i]);
}

double summand_exact_sum(size_t n, const double *x)
{
    summand_exact acc;
    summand_exact_init(&acc);
    summand_exact_add(&acc, n, x);
    return summand_exact_round(&acc);
}

double summand_exact_dot(size_t n, const double *x, const double *y)
{
    summand_exact acc;
    summand_exact_init(&acc);
    summand_exact_add_products(&acc, n, x, y);
    return summand_exact_round(&acc);
}
