/* Functions of a library that a program opens by itself, as of `library`, and looks up when it calls them. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *library;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(20);
    }
    return found;
}

#define CALL(name, ...) ((int (*)())function(#name))(__VA_ARGS__)
#define CHECK(name, ...)                                     \
    do {                                                     \
        int answer_ = CALL(name, __VA_ARGS__);                \
        if (answer_) {                                       \
            fprintf(stderr, "%s: %d\n", #name, answer_);      \
            exit(21);                                        \
        }                                                    \
    } while (0)
