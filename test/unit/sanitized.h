/* SPDX-License-Identifier: BSD-3-Clause */
/* SANITIZED: whether this program has the sanitizers for addresses and undefined behaviour. They
 * make kernels ten times as slow. They check addresses and branches, which a few sizes around the
 * widths of vectors and blocks cover. A test may leave other sizes to the release build. */
#pragma once

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
