/* SPDX-License-Identifier: MIT */
/* SHA-256, by libcrypto, which libssh brings along. */
#pragma once

#include <stddef.h>

#define T1S_SHA256_HEX_MAX 65

/* The digest in lower-case hexadecimal. Returns 0 or -EIO if libcrypto refuses. */
int t1s_sha256_hex(const void *data, size_t size, char ret[T1S_SHA256_HEX_MAX]);
