/* SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>

int t1s_sha256_hex(const void *data, size_t size, char ret[T1S_SHA256_HEX_MAX])
{
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned int n = 0;

	if (EVP_Digest(data, size, md, &n, EVP_sha256(), NULL) != 1 || n != 32)
		return -EIO;
	for (unsigned int i = 0; i < n; i++)
		(void)snprintf(ret + (size_t)2 * i, 3, "%02x", md[i]);
	return 0;
}
