/* SPDX-License-Identifier: BSD-3-Clause */
/* SANITIZED: whether the sanitizers for addresses and undefined behaviour are in this program. They
 * make kernels ten times as slow, and look at addresses and branches, which few sizes have all:
 * those around the widths of vectors and of blocks. A test may leave other sizes to the release
 * build. */
#ifndef SUMMAND_TEST_UNIT_SANITIZED_H
#define SUMMAND_TEST_UNIT_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
