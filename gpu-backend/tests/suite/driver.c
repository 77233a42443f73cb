/* A driver that is none: it has the functions that opening a GPU and linking modules need, says on standard output which of
   the linker's it was called with, and refuses where REFUSE names one of them. Names and signatures are those of cuda.h. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *kinds;
static void **values;
static unsigned count;

static int refuses(const char *call) {
  const char *refused = getenv("REFUSE");
  return refused && !strcmp(refused, call);
}

/* As the driver's linker, which writes to what it was given when it was made. */
static int refuse(const char *words) {
  for (unsigned i = 0; i < count; i++)
    if (kinds[i] == 5) snprintf(values[i], 1000, "%s\n", words); /* CU_JIT_ERROR_LOG_BUFFER */
  return 218;
}

int cuInit(unsigned flags) { setvbuf(stdout, NULL, _IONBF, 0); return 0; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = 0; return 0; }
int cuDeviceGetName(char *name, int length, int device) { snprintf(name, length, "none"); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = 1; return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) { *value = 9; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &count; return 0; }
int cuCtxSetCurrent(void *context) { return 0; }
int cuCtxSynchronize(void) { return 0; }
int cuGetErrorName(int code, const char **name) { *name = "CUDA_ERROR_INVALID_PTX"; return 0; }
int cuGetErrorString(int code, const char **words) { *words = "a PTX JIT compilation failed"; return 0; }

int cuLinkCreate_v2(unsigned n, int *k, void **v, void **linker) {
  count = n, kinds = k, values = v, *linker = &kinds;
  printf("create");
  for (unsigned i = 0; i < n; i++)
    if (kinds[i] == 7) printf(" level %d", (int)(uintptr_t)values[i]); /* CU_JIT_OPTIMIZATION_LEVEL */
  printf("\n");
  return 0;
}

int cuLinkAddData_v2(void *linker, int kind, void *data, size_t bytes, const char *name, unsigned n, int *k, void **v) {
  const char *text = data, *entry = strstr(text, ".visible");
  printf("add %s kind %d whole %d: %.23s\n", name, kind, strlen(text) + 1 == bytes, entry ? entry : "");
  return refuses(name) ? refuse("ptxas application ptx input, line 5; error") : 0;
}

int cuLinkComplete(void *linker, void **binary, size_t *bytes) {
  printf("complete\n");
  *binary = "binary", *bytes = 6;
  return refuses("complete") ? refuse("error   : Undefined reference to 'add' in 'main.ptx'") : 0;
}

int cuLinkDestroy(void *linker) {
  printf("destroy, options %s\n", kinds[0] == 5 ? "there" : "gone");
  return 0;
}

int cuModuleLoadData(void **module, const void *image) {
  printf("load %s\n", (const char *)image);
  *module = &values;
  return 0;
}

int cuModuleUnload(void *module) { return 0; }
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module, const char *name) { return 500; }
