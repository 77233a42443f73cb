/* Calls every function whose name stands on standard input with nothing but zeros, from several threads, before cuInit and
   after it. What comes back does not matter; that something does, does. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef long (*function)(long, long, long, long, long, long, long, long, long, long, long, long);

static void *library;
static char names[4096][96];
static int count;

static void *all(void *from)
{
    for (int i = 0; i < count; i++) {
        function called = (function)dlsym(library, names[(i + *(int *)from) % count]);
        if (called)
            called(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    int from[4] = {0, 100, 200, 300};
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return 22;
    while (count < 4096 && scanf("%95s", names[count]) == 1)
        count++;
    all(&from[0]);
    ((int (*)(unsigned))dlsym(library, "cuInit"))(0);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, all, &from[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    printf("%d functions, all of which came back\n", count);
    return 0;
}
