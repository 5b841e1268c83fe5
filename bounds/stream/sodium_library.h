/* libsodium, loaded when the first stream is made: most commands never need it. What the rest of
 * the room uses of it, by name. */
#ifndef FINF_SODIUM_LIBRARY_H
#define FINF_SODIUM_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "base.h"

typedef struct {
    /* out = in xor the key stream of ChaCha20 (RFC 8439) from block number `block` on; no more than
     * 2^32 blocks of 64 bytes. */
    int (*chacha20)(unsigned char *out, const unsigned char *in, unsigned long long length,
                    const unsigned char nonce[12], uint32_t block, const unsigned char key[32]);
    void (*random)(void *out, size_t length); /* from the system */
    /* BLAKE2b; key may be NULL. */
    int (*hash)(unsigned char *out, size_t out_length, const unsigned char *in,
                unsigned long long length, const unsigned char *key, size_t key_length);
    void (*wipe)(void *, size_t); /* a memset that is not optimised away */
} sodium_library;

/* NULL: it is not to be found (FINF_EUSAGE), or memory ran out (FINF_ENOMEM), and `why` says so. */
const sodium_library *sodium_get(finf_status *status, finf_reason *why);
const char *sodium_library_version(void); /* NULL: not found */

#endif
