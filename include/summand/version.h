/* SPDX-License-Identifier: BSD-3-Clause */
/* The version of the library. */
#ifndef SUMMAND_VERSION_H
#define SUMMAND_VERSION_H
#define SUMMAND_VERSION_MAJOR 0
#define SUMMAND_VERSION_MINOR 2
#define SUMMAND_VERSION_PATCH 0

/* 10203 for 1.2.3: for the preprocessor. */
#define SUMMAND_VERSION                                                                            \
    (10000 * SUMMAND_VERSION_MAJOR + 100 * SUMMAND_VERSION_MINOR + SUMMAND_VERSION_PATCH)

#if defined(__GNUC__)
#define SUMMAND_API __attribute__((visibility("default")))
#else
#define SUMMAND_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The version of the library as "major.minor.patch". Local; the string is static. */
SUMMAND_API const char *summand_version(void);

/** The version of the library as SUMMAND_VERSION was when it was built. A program that was compiled
 *  with another patch level runs with it; with another minor version before 1.0, or another major
 *  version, the library has another soname. Local. */
SUMMAND_API int summand_version_number(void);

#ifdef __cplusplus
}
#endif
#endif
