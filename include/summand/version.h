/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUMMAND_VERSION_H
#define SUMMAND_VERSION_H

#define SUMMAND_VERSION_MAJOR 0
#define SUMMAND_VERSION_MINOR 1
#define SUMMAND_VERSION_PATCH 0

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

#ifdef __cplusplus
}
#endif
#endif
