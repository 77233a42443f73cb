// NVML (NVML API Reference Guide, version 12.9): the device, its names and its memory. What only a
// machine can measure answers `NVML_ERROR_NOT_SUPPORTED`. What the guide has beyond this is missing.
#if !defined(__nvml_nvml__h__)
#define __nvml_nvml__h__
#include "warpsim/c.h"

#define NVML_API_VERSION 12
#define NVML_API_VERSION_STR "12"
#define NVML_DEVICE_INFOROM_VERSION_BUFFER_SIZE 16
#define NVML_DEVICE_UUID_BUFFER_SIZE 80
#define NVML_DEVICE_UUID_V2_BUFFER_SIZE 96
#define NVML_DEVICE_NAME_BUFFER_SIZE 64
#define NVML_DEVICE_NAME_V2_BUFFER_SIZE 96
#define NVML_DEVICE_SERIAL_BUFFER_SIZE 30
#define NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE 80
#define NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE 80
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE 32
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE 16
#define NVML_INIT_FLAG_NO_GPUS 1
#define NVML_INIT_FLAG_NO_ATTACH 2
#define NVML_VALUE_NOT_AVAILABLE (-1)
#define NVML_CUDA_DRIVER_VERSION_MAJOR(v) ((v) / 1000)
#define NVML_CUDA_DRIVER_VERSION_MINOR(v) (((v) % 1000) / 10)
#define NVML_STRUCT_VERSION(data, version) (unsigned)(sizeof(nvml##data##_v##version##_t) | ((version) << 24U))

typedef struct nvmlDevice_st *nvmlDevice_t;
typedef enum nvmlReturn_enum {
    NVML_SUCCESS = 0, NVML_ERROR_UNINITIALIZED, NVML_ERROR_INVALID_ARGUMENT,
    NVML_ERROR_NOT_SUPPORTED, NVML_ERROR_NO_PERMISSION, NVML_ERROR_ALREADY_INITIALIZED,
    NVML_ERROR_NOT_FOUND, NVML_ERROR_INSUFFICIENT_SIZE, NVML_ERROR_INSUFFICIENT_POWER,
    NVML_ERROR_DRIVER_NOT_LOADED, NVML_ERROR_TIMEOUT, NVML_ERROR_IRQ_ISSUE,
    NVML_ERROR_LIBRARY_NOT_FOUND, NVML_ERROR_FUNCTION_NOT_FOUND, NVML_ERROR_CORRUPTED_INFOROM,
    NVML_ERROR_GPU_IS_LOST, NVML_ERROR_RESET_REQUIRED, NVML_ERROR_OPERATING_SYSTEM,
    NVML_ERROR_LIB_RM_VERSION_MISMATCH, NVML_ERROR_IN_USE, NVML_ERROR_MEMORY, NVML_ERROR_NO_DATA,
    NVML_ERROR_VGPU_ECC_NOT_SUPPORTED, NVML_ERROR_INSUFFICIENT_RESOURCES,
    NVML_ERROR_FREQ_NOT_SUPPORTED, NVML_ERROR_ARGUMENT_VERSION_MISMATCH, NVML_ERROR_DEPRECATED,
    NVML_ERROR_NOT_READY, NVML_ERROR_GPU_NOT_FOUND, NVML_ERROR_INVALID_STATE,
    NVML_ERROR_UNKNOWN = 999
} nvmlReturn_t;
typedef enum nvmlClockType_enum {
    NVML_CLOCK_GRAPHICS = 0, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO, NVML_CLOCK_COUNT
} nvmlClockType_t;
typedef enum nvmlTemperatureSensors_enum {
    NVML_TEMPERATURE_GPU = 0, NVML_TEMPERATURE_COUNT
} nvmlTemperatureSensors_t;
typedef enum nvmlTemperatureThresholds_enum {
    NVML_TEMPERATURE_THRESHOLD_SHUTDOWN = 0, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN,
    NVML_TEMPERATURE_THRESHOLD_MEM_MAX, NVML_TEMPERATURE_THRESHOLD_GPU_MAX
} nvmlTemperatureThresholds_t;
typedef enum nvmlEnableState_enum {
    NVML_FEATURE_DISABLED = 0, NVML_FEATURE_ENABLED
} nvmlEnableState_t;
typedef enum nvmlComputeMode_enum {
    NVML_COMPUTEMODE_DEFAULT = 0, NVML_COMPUTEMODE_EXCLUSIVE_THREAD, NVML_COMPUTEMODE_PROHIBITED,
    NVML_COMPUTEMODE_EXCLUSIVE_PROCESS, NVML_COMPUTEMODE_COUNT
} nvmlComputeMode_t;
typedef enum nvmlPStates_enum {
    NVML_PSTATE_0 = 0, NVML_PSTATE_1, NVML_PSTATE_2, NVML_PSTATE_3, NVML_PSTATE_4, NVML_PSTATE_5,
    NVML_PSTATE_6, NVML_PSTATE_7, NVML_PSTATE_8, NVML_PSTATE_9, NVML_PSTATE_10, NVML_PSTATE_11,
    NVML_PSTATE_12, NVML_PSTATE_13, NVML_PSTATE_14, NVML_PSTATE_15, NVML_PSTATE_UNKNOWN = 32
} nvmlPstates_t;
typedef enum nvmlPcieUtilCounter_enum {
    NVML_PCIE_UTIL_TX_BYTES = 0, NVML_PCIE_UTIL_RX_BYTES, NVML_PCIE_UTIL_COUNT
} nvmlPcieUtilCounter_t;

typedef struct nvmlMemory_st { unsigned long long total, free, used; } nvmlMemory_t;
typedef struct nvmlMemory_v2_st {
    unsigned version;
    unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;
#define nvmlMemory_v2 NVML_STRUCT_VERSION(Memory, 2)
typedef struct nvmlUtilization_st { unsigned gpu, memory; } nvmlUtilization_t;
typedef struct nvmlPciInfo_st {
    char busIdLegacy[NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE];
    unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
} nvmlPciInfo_t;
typedef struct nvmlProcessInfo_st {
    unsigned pid;
    unsigned long long usedGpuMemory;
    unsigned gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_t;

// The names by which the guide calls the newest versions.
#define nvmlInit nvmlInit_v2
#define nvmlSystemGetCudaDriverVersion nvmlSystemGetCudaDriverVersion_v2
#define nvmlDeviceGetCount nvmlDeviceGetCount_v2
#define nvmlDeviceGetHandleByIndex nvmlDeviceGetHandleByIndex_v2
#define nvmlDeviceGetHandleByPciBusId nvmlDeviceGetHandleByPciBusId_v2
#define nvmlDeviceGetPciInfo nvmlDeviceGetPciInfo_v3
#define nvmlDeviceGetComputeRunningProcesses nvmlDeviceGetComputeRunningProcesses_v3
#define nvmlDeviceGetGraphicsRunningProcesses nvmlDeviceGetGraphicsRunningProcesses_v3

__warpsim_begin_c
const char *nvmlErrorString(nvmlReturn_t result);
nvmlReturn_t nvmlInit_v2(void);
nvmlReturn_t nvmlInitWithFlags(unsigned flags);
nvmlReturn_t nvmlShutdown(void);
nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length);
nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length);
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version);
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count);
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *id, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length);
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *id, unsigned length);
nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index);
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *number);
nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode);
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory);
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory);
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *info);
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor);
nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned *cores);
nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned *bits);
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t kind, unsigned *clock);
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t kind, unsigned *clock);
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *infos);
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(
    nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *infos);
nvmlReturn_t nvmlDeviceGetApplicationsClock(
    nvmlDevice_t device, nvmlClockType_t kind, unsigned *clock);
nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned *generation);
nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned *width);
nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(
    nvmlDevice_t device, unsigned long long *reasons);
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(
    nvmlDevice_t device, unsigned long long *reasons);
nvmlReturn_t nvmlDeviceGetDecoderUtilization(
    nvmlDevice_t device, unsigned *utilization, unsigned *period);
nvmlReturn_t nvmlDeviceGetEncoderUtilization(
    nvmlDevice_t device, unsigned *utilization, unsigned *period);
nvmlReturn_t nvmlDeviceGetEccMode(
    nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending);
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned *limit);
nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned *speed);
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending);
nvmlReturn_t nvmlDeviceGetNvLinkState(
    nvmlDevice_t device, unsigned link, nvmlEnableState_t *state);
nvmlReturn_t nvmlDeviceGetPcieThroughput(
    nvmlDevice_t device, nvmlPcieUtilCounter_t counter, unsigned *value);
nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state);
nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode);
nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned *limit);
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *power);
nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(
    nvmlDevice_t device, unsigned memory, unsigned *count, unsigned *clocks);
nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(
    nvmlDevice_t device, unsigned *count, unsigned *clocks);
nvmlReturn_t nvmlDeviceGetTemperature(
    nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned *temperature);
nvmlReturn_t nvmlDeviceGetTemperatureThreshold(
    nvmlDevice_t device, nvmlTemperatureThresholds_t threshold, unsigned *temperature);
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *energy);
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization);
nvmlReturn_t nvmlDeviceResetApplicationsClocks(nvmlDevice_t device);
nvmlReturn_t nvmlDeviceResetGpuLockedClocks(nvmlDevice_t device);
nvmlReturn_t nvmlDeviceSetApplicationsClocks(nvmlDevice_t device, unsigned memory, unsigned sm);
nvmlReturn_t nvmlDeviceSetGpuLockedClocks(nvmlDevice_t device, unsigned least, unsigned most);
nvmlReturn_t nvmlDeviceSetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t mode);
nvmlReturn_t nvmlDeviceSetPowerManagementLimit(nvmlDevice_t device, unsigned limit);
__warpsim_end_c
#endif
