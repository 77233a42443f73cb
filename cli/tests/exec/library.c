/* Loads a library and runs what is its `run`: a program that knows nothing of CUDA, whose libraries do. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words)
{
    void *library = count > 1 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : 0;
    int (*run)(void) = library ? (int (*)(void))dlsym(library, "run") : 0;
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 40;
    }
    return run();
}
