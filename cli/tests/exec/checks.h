/* What the programs here check with. They end with a number of their own where something is not right. */
#include <stdio.h>
#include <stdlib.h>

#define RIGHT(condition)                                                                            \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            fprintf(stderr, "line %d: " #condition "\n", __LINE__);                                 \
            exit(24);                                                                               \
        }                                                                                           \
    } while (0)
