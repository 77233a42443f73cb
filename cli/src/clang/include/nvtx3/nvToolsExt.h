// NVTX (NVIDIA Tools Extension documentation, version 3, "C API"), which tells a profiler what a program does. No profiler
// listens here: the functions do nothing, and give what NVTX gives without a tool.
#if !defined(NVTX_VERSION)
#define NVTX_VERSION 3
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_API
#define NVTX_INLINE_STATIC static __inline__
#define NVTX_DECLSPEC NVTX_INLINE_STATIC
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_ERR_INIT_LOAD_PROPERTY 2
#define NVTX_ERR_INIT_ACCESS_LIBRARY 3
#define NVTX_ERR_INIT_LOAD_LIBRARY 4
#define NVTX_ERR_INIT_MISSING_LIBRARY_ENTRY_POINT 5
#define NVTX_ERR_INIT_FAILED_LIBRARY_ENTRY_POINT 6
#define NVTX_ERR_NO_INJECTION_LIBRARY_AVAILABLE 7
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st nvtxDomainRegistration;
typedef nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st nvtxStringRegistration;
typedef nvtxStringRegistration *nvtxStringHandle_t;
typedef struct nvtxResourceHandle *nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE, NVTX_MESSAGE_TYPE_REGISTERED
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, NVTX_PAYLOAD_TYPE_INT64, NVTX_PAYLOAD_TYPE_DOUBLE,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, NVTX_PAYLOAD_TYPE_INT32, NVTX_PAYLOAD_TYPE_FLOAT
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

#define NVTX_RESOURCE_MAKE_TYPE(CLASS, INDEX) ((uint32_t)(NVTX_RESOURCE_CLASS_##CLASS) << 16 | (uint32_t)(INDEX))
#define NVTX_RESOURCE_CLASS_GENERIC 1
typedef enum nvtxResourceGenericType_t {
    NVTX_RESOURCE_TYPE_UNKNOWN = 0,
    NVTX_RESOURCE_TYPE_GENERIC_POINTER = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 1),
    NVTX_RESOURCE_TYPE_GENERIC_HANDLE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 2),
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 3),
    NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX = NVTX_RESOURCE_MAKE_TYPE(GENERIC, 4)
} nvtxResourceGenericType_t;
typedef struct nvtxResourceAttributes_v0 {
    uint16_t version, size;
    int32_t identifierType;
    union identifier_t {
        const void *pValue;
        uint64_t ullValue;
    } identifier;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxResourceAttributes_v0;
typedef struct nvtxResourceAttributes_v0 nvtxResourceAttributes_t;
#define NVTX_RESOURCE_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxResourceAttributes_v0))

// A function that gives a value whatever it is told, and both forms of one that takes a text.
#define __warpsim_nvtx(T, name, parameters, value)                                                                        \
    static __inline__ __attribute__((unused)) T name parameters { return value; }
#define __warpsim_both_texts(T, name, before, value)                                                                      \
    __warpsim_nvtx(T, name##A, (before const char *text), ((void)text, value))                                            \
    __warpsim_nvtx(T, name##W, (before const wchar_t *text), ((void)text, value))
#define __warpsim_and ,
#define __warpsim_domain nvtxDomainHandle_t domain
#define __warpsim_event const nvtxEventAttributes_t *event
__warpsim_nvtx(void, nvtxInitialize, (const void *reserved), (void)reserved)
__warpsim_nvtx(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *text), ((void)text, (nvtxDomainHandle_t)0))
__warpsim_nvtx(nvtxDomainHandle_t, nvtxDomainCreateW, (const wchar_t *text), ((void)text, (nvtxDomainHandle_t)0))
__warpsim_nvtx(void, nvtxDomainDestroy, (__warpsim_domain), (void)domain)
__warpsim_nvtx(nvtxStringHandle_t, nvtxDomainRegisterStringA, (__warpsim_domain, const char *text),
               ((void)domain, (void)text, (nvtxStringHandle_t)0))
__warpsim_nvtx(nvtxStringHandle_t, nvtxDomainRegisterStringW, (__warpsim_domain, const wchar_t *text),
               ((void)domain, (void)text, (nvtxStringHandle_t)0))
__warpsim_nvtx(nvtxResourceHandle_t, nvtxDomainResourceCreate, (__warpsim_domain, nvtxResourceAttributes_t *all),
               ((void)domain, (void)all, (nvtxResourceHandle_t)0))
__warpsim_nvtx(void, nvtxDomainResourceDestroy, (nvtxResourceHandle_t resource), (void)resource)
__warpsim_nvtx(void, nvtxDomainMarkEx, (__warpsim_domain, __warpsim_event), ((void)domain, (void)event))
__warpsim_nvtx(void, nvtxMarkEx, (__warpsim_event), (void)event)
__warpsim_both_texts(void, nvtxMark, , (void)0)
__warpsim_nvtx(nvtxRangeId_t, nvtxDomainRangeStartEx, (__warpsim_domain, __warpsim_event), ((void)domain, (void)event, 0))
__warpsim_nvtx(nvtxRangeId_t, nvtxRangeStartEx, (__warpsim_event), ((void)event, 0))
__warpsim_both_texts(nvtxRangeId_t, nvtxRangeStart, , 0)
__warpsim_nvtx(void, nvtxDomainRangeEnd, (__warpsim_domain, nvtxRangeId_t id), ((void)domain, (void)id))
__warpsim_nvtx(void, nvtxRangeEnd, (nvtxRangeId_t id), (void)id)
__warpsim_nvtx(int, nvtxDomainRangePushEx, (__warpsim_domain, __warpsim_event),
               ((void)domain, (void)event, NVTX_NO_PUSH_POP_TRACKING))
__warpsim_nvtx(int, nvtxRangePushEx, (__warpsim_event), ((void)event, NVTX_NO_PUSH_POP_TRACKING))
__warpsim_both_texts(int, nvtxRangePush, , NVTX_NO_PUSH_POP_TRACKING)
__warpsim_nvtx(int, nvtxDomainRangePop, (__warpsim_domain), ((void)domain, NVTX_NO_PUSH_POP_TRACKING))
__warpsim_nvtx(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
__warpsim_both_texts(void, nvtxDomainNameCategory, __warpsim_domain __warpsim_and uint32_t category __warpsim_and,
                     ((void)domain, (void)category))
__warpsim_both_texts(void, nvtxNameCategory, uint32_t category __warpsim_and, (void)category)
__warpsim_both_texts(void, nvtxNameOsThread, uint32_t thread __warpsim_and, (void)thread)

// The form of `UNICODE` takes wide texts.
#if defined(UNICODE)
#define __warpsim_text(name) name##W
#else
#define __warpsim_text(name) name##A
#endif
#define nvtxMark __warpsim_text(nvtxMark)
#define nvtxRangeStart __warpsim_text(nvtxRangeStart)
#define nvtxRangePush __warpsim_text(nvtxRangePush)
#define nvtxNameCategory __warpsim_text(nvtxNameCategory)
#define nvtxNameOsThread __warpsim_text(nvtxNameOsThread)
#define nvtxDomainCreate __warpsim_text(nvtxDomainCreate)
#define nvtxDomainRegisterString __warpsim_text(nvtxDomainRegisterString)
#define nvtxDomainNameCategory __warpsim_text(nvtxDomainNameCategory)
#endif
