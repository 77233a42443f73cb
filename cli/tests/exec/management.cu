// NVML and the runtime API tell the same of the device; what has to be measured is not supported.
#include <cstdio>
#include <cstring>
#include <nvml.h>

#define CHECK(condition) \
    if (!(condition)) return std::printf("line %d: %s\n", __LINE__, #condition), 1

int main() {
    nvmlDevice_t device;
    CHECK(nvmlDeviceGetHandleByIndex(0, &device) == NVML_ERROR_UNINITIALIZED);
    CHECK(nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
    CHECK(nvmlInit() == NVML_SUCCESS && nvmlInitWithFlags(0) == NVML_SUCCESS);
    CHECK(nvmlShutdown() == NVML_SUCCESS);
    unsigned count = 0;
    CHECK(nvmlDeviceGetCount(&count) == NVML_SUCCESS && count == 1);
    CHECK(nvmlDeviceGetCount(nullptr) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetHandleByIndex(1, &device) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetHandleByIndex(0, &device) == NVML_SUCCESS);

    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE], id[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
    CHECK(nvmlDeviceGetName(device, name, sizeof name) == NVML_SUCCESS);
    CHECK(std::strcmp(name, properties.name) == 0);
    CHECK(nvmlDeviceGetName(device, name, 2) == NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK(nvmlDeviceGetName(nullptr, name, sizeof name) == NVML_ERROR_INVALID_ARGUMENT);
    char expected[NVML_DEVICE_UUID_V2_BUFFER_SIZE] = "GPU-";
    for (int i = 0; i < 16; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        std::sprintf(expected + std::strlen(expected), "%s%02x", dash,
                     static_cast<unsigned char>(properties.uuid.bytes[i]));
    }
    CHECK(nvmlDeviceGetUUID(device, id, sizeof id) == NVML_SUCCESS);
    CHECK(std::strcmp(id, expected) == 0);
    nvmlDevice_t same = nullptr;
    CHECK(nvmlDeviceGetHandleByUUID(id, &same) == NVML_SUCCESS && same == device);
    CHECK(nvmlDeviceGetHandleByUUID("GPU-0", &same) == NVML_ERROR_NOT_FOUND);

    nvmlPciInfo_t pci;
    CHECK(nvmlDeviceGetPciInfo(device, &pci) == NVML_SUCCESS);
    CHECK(int(pci.bus) == properties.pciBusID && int(pci.device) == properties.pciDeviceID);
    CHECK(int(pci.domain) == properties.pciDomainID);
    CHECK(nvmlDeviceGetHandleByPciBusId(pci.busId, &same) == NVML_SUCCESS && same == device);
    CHECK(nvmlDeviceGetHandleByPciBusId(pci.busIdLegacy, &same) == NVML_SUCCESS);
    CHECK(nvmlDeviceGetHandleByPciBusId("0000:99:00.0", &same) == NVML_ERROR_NOT_FOUND);
    int major = 0, minor = 0, version = 0;
    CHECK(nvmlDeviceGetCudaComputeCapability(device, &major, &minor) == NVML_SUCCESS);
    CHECK(major == properties.major && minor == properties.minor);
    CHECK(nvmlSystemGetCudaDriverVersion(&version) == NVML_SUCCESS);
    int expected_version = 0;
    CHECK(cudaDriverGetVersion(&expected_version) == cudaSuccess && version == expected_version);

    nvmlMemory_t before, after;
    CHECK(nvmlDeviceGetMemoryInfo(device, &before) == NVML_SUCCESS);
    void *memory;
    CHECK(cudaMalloc(&memory, 64 << 20) == cudaSuccess);
    CHECK(nvmlDeviceGetMemoryInfo(device, &after) == NVML_SUCCESS);
    CHECK(before.total == properties.totalGlobalMem && after.total == before.total);
    CHECK(after.used - before.used == 64 << 20 && after.used + after.free == after.total);
    nvmlMemory_v2_t second;
    second.version = nvmlMemory_v2;
    CHECK(nvmlDeviceGetMemoryInfo_v2(device, &second) == NVML_SUCCESS);
    CHECK(second.used == after.used && second.version == nvmlMemory_v2);
    unsigned running = 7;
    CHECK(nvmlDeviceGetComputeRunningProcesses(device, &running, nullptr) == NVML_SUCCESS);
    CHECK(running == 0);

    unsigned power;
    CHECK(nvmlDeviceGetPowerUsage(device, &power) == NVML_ERROR_NOT_SUPPORTED);
    CHECK(std::strcmp(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported") == 0);
    CHECK(nvmlShutdown() == NVML_SUCCESS);
    CHECK(nvmlDeviceGetCount(&count) == NVML_ERROR_UNINITIALIZED);
    std::printf("%s\n", "NVML is right");
    return 0;
}
