/* A module that a program has in itself, as compilers put it there: a fat binary with PTX. Functions of the runtime API say what
   went wrong. */
#include "checks.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void **__cudaRegisterFatBinary(void *);
extern const char *cudaGetErrorString(int);

/* Registers these bytes of PTX, its last byte included, which is 0. */
static void **register_text(const char *ptx, size_t bytes)
{
    static struct {
        uint32_t magic, version;
        const void *data, *unused;
    } wrapper = {0x466243b1, 1, 0, 0};
    size_t text = (bytes + 7) & ~(size_t)7;
    char *binary = calloc(1, 16 + 64 + text);
    *(uint32_t *)binary = 0xba55ed50;
    *(uint16_t *)(binary + 4) = 1;
    *(uint16_t *)(binary + 6) = 16;
    *(uint64_t *)(binary + 8) = 64 + text;
    *(uint16_t *)(binary + 16) = 1;      /* PTX */
    *(uint32_t *)(binary + 20) = 64;     /* bytes of this header */
    *(uint64_t *)(binary + 24) = text;
    *(uint32_t *)(binary + 44) = 70;     /* sm_70 */
    memcpy(binary + 80, ptx, bytes);
    wrapper.data = binary;
    return __cudaRegisterFatBinary(&wrapper);
}

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        int error = (call);                                                                         \
        if (error) {                                                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));                  \
            exit(21);                                                                               \
        }                                                                                           \
    } while (0)
