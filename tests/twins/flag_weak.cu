// what: a flag that is stored or read plainly is no flag, whatever the fences; `bad_poll` polls plainly, and what the compiler makes of such a loop may never end
// launch: --grid 2 --block 1
// arg: s32[1]
// arg: s32[1]
// arg: s32[1]
// expect bad_store: race
// expect bad_read_once: race
// expect bad_poll: race | race+livelock
// expect good_read_once: clean

extern "C" __global__ void bad_store(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*(volatile int *)flag == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

extern "C" __global__ void bad_read_once(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *(volatile int *)flag = 1;
    } else if (*flag == 1) {
        __threadfence();
        out[0] = data[0];
    }
}

extern "C" __global__ void bad_poll(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *(volatile int *)flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        out[0] = data[0];
    }
}

// Who does not wait may still read what a flag has announced. The fence stands on both paths.
extern "C" __global__ void good_read_once(int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *(volatile int *)flag = 1;
    } else {
        int seen = *(volatile int *)flag;
        __threadfence();
        if (seen == 1)
            out[0] = data[0];
    }
}
