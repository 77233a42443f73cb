// Arrays, copies, captures, graphics and resources of textures (CUDA Runtime API reference,
// version 12.9, "Data types used by CUDA Runtime").
#pragma once
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone, cudaChannelFormatKindNV12,
    cudaChannelFormatKindUnsignedNormalized8X1, cudaChannelFormatKindUnsignedNormalized8X2,
    cudaChannelFormatKindUnsignedNormalized8X4, cudaChannelFormatKindUnsignedNormalized16X1,
    cudaChannelFormatKindUnsignedNormalized16X2, cudaChannelFormatKindUnsignedNormalized16X4,
    cudaChannelFormatKindSignedNormalized8X1, cudaChannelFormatKindSignedNormalized8X2,
    cudaChannelFormatKindSignedNormalized8X4, cudaChannelFormatKindSignedNormalized16X1,
    cudaChannelFormatKindSignedNormalized16X2, cudaChannelFormatKindSignedNormalized16X4,
    cudaChannelFormatKindUnsignedBlockCompressed1,
    cudaChannelFormatKindUnsignedBlockCompressed1SRGB,
    cudaChannelFormatKindUnsignedBlockCompressed2,
    cudaChannelFormatKindUnsignedBlockCompressed2SRGB,
    cudaChannelFormatKindUnsignedBlockCompressed3,
    cudaChannelFormatKindUnsignedBlockCompressed3SRGB,
    cudaChannelFormatKindUnsignedBlockCompressed4, cudaChannelFormatKindSignedBlockCompressed4,
    cudaChannelFormatKindUnsignedBlockCompressed5, cudaChannelFormatKindSignedBlockCompressed5,
    cudaChannelFormatKindUnsignedBlockCompressed6H, cudaChannelFormatKindSignedBlockCompressed6H,
    cudaChannelFormatKindUnsignedBlockCompressed7,
    cudaChannelFormatKindUnsignedBlockCompressed7SRGB,
    cudaChannelFormatKindUnsignedNormalized1010102, cudaChannelFormatKindUnsigned8Packed422,
    cudaChannelFormatKindUnsigned8Packed444, cudaChannelFormatKindUnsigned8SemiPlanar420,
    cudaChannelFormatKindUnsigned16SemiPlanar420, cudaChannelFormatKindUnsigned8SemiPlanar422,
    cudaChannelFormatKindUnsigned16SemiPlanar422, cudaChannelFormatKindUnsigned8SemiPlanar444,
    cudaChannelFormatKindUnsigned16SemiPlanar444, cudaChannelFormatKindUnsigned8Planar420,
    cudaChannelFormatKindUnsigned16Planar420, cudaChannelFormatKindUnsigned8Planar422,
    cudaChannelFormatKindUnsigned16Planar422, cudaChannelFormatKindUnsigned8Planar444,
    cudaChannelFormatKindUnsigned16Planar444
};
struct cudaChannelFormatDesc { int x, y, z, w; enum cudaChannelFormatKind f; };
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
struct cudaArraySparseProperties {
    struct { unsigned width, height, depth; } tileExtent;
    unsigned miptailFirstLevel;
    unsigned long long miptailSize;
    unsigned flags, reserved[4];
};
struct cudaArrayMemoryRequirements {
    size_t size, alignment;
    unsigned reserved[4];
};
enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
struct cudaPitchedPtr { void *ptr; size_t pitch, xsize, ysize; };
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};
struct cudaMemcpyNodeParams {
    int flags, reserved[3];
    struct cudaMemcpy3DParms copyParams;
};
struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaMemsetParamsV2 {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
enum cudaAccessProperty {
    cudaAccessPropertyNormal = 0, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting
};
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum cudaAccessProperty hitProp, missProp;
};
typedef void (CUDART_CB *cudaHostFn_t)(void *);
struct cudaHostNodeParams { cudaHostFn_t fn; void *userData; };
struct cudaHostNodeParamsV2 { cudaHostFn_t fn; void *userData; };
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal = 0, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed
};
enum cudaSynchronizationPolicy {
    cudaSyncPolicyAuto = 1, cudaSyncPolicySpin, cudaSyncPolicyYield, cudaSyncPolicyBlockingSync
};
enum cudaClusterSchedulingPolicy {
    cudaClusterSchedulingPolicyDefault = 0, cudaClusterSchedulingPolicySpread,
    cudaClusterSchedulingPolicyLoadBalancing, cudaClusterSchedulingPolicyRubinDsmemLocality
};
enum cudaStreamUpdateCaptureDependenciesFlags {
    cudaStreamAddCaptureDependencies = 0, cudaStreamSetCaptureDependencies
};
enum cudaUserObjectFlags { cudaUserObjectNoDestructorSync = 1 };
enum cudaUserObjectRetainFlags { cudaGraphUserObjectMove = 1 };
enum cudaGraphicsRegisterFlags {
    cudaGraphicsRegisterFlagsNone = 0, cudaGraphicsRegisterFlagsReadOnly,
    cudaGraphicsRegisterFlagsWriteDiscard, cudaGraphicsRegisterFlagsSurfaceLoadStore = 4,
    cudaGraphicsRegisterFlagsTextureGather = 8
};
enum cudaGraphicsMapFlags {
    cudaGraphicsMapFlagsNone = 0, cudaGraphicsMapFlagsReadOnly, cudaGraphicsMapFlagsWriteDiscard
};
enum cudaGraphicsCubeFace {
    cudaGraphicsCubeFacePositiveX = 0, cudaGraphicsCubeFaceNegativeX,
    cudaGraphicsCubeFacePositiveY, cudaGraphicsCubeFaceNegativeY, cudaGraphicsCubeFacePositiveZ,
    cudaGraphicsCubeFaceNegativeZ
};
enum cudaResourceType {
    cudaResourceTypeArray = 0, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
enum cudaResourceViewFormat {
    cudaResViewFormatNone = 0, cudaResViewFormatUnsignedChar1, cudaResViewFormatUnsignedChar2,
    cudaResViewFormatUnsignedChar4, cudaResViewFormatSignedChar1, cudaResViewFormatSignedChar2,
    cudaResViewFormatSignedChar4, cudaResViewFormatUnsignedShort1, cudaResViewFormatUnsignedShort2,
    cudaResViewFormatUnsignedShort4, cudaResViewFormatSignedShort1, cudaResViewFormatSignedShort2,
    cudaResViewFormatSignedShort4, cudaResViewFormatUnsignedInt1, cudaResViewFormatUnsignedInt2,
    cudaResViewFormatUnsignedInt4, cudaResViewFormatSignedInt1, cudaResViewFormatSignedInt2,
    cudaResViewFormatSignedInt4, cudaResViewFormatHalf1, cudaResViewFormatHalf2,
    cudaResViewFormatHalf4, cudaResViewFormatFloat1, cudaResViewFormatFloat2,
    cudaResViewFormatFloat4, cudaResViewFormatUnsignedBlockCompressed1,
    cudaResViewFormatUnsignedBlockCompressed2, cudaResViewFormatUnsignedBlockCompressed3,
    cudaResViewFormatUnsignedBlockCompressed4, cudaResViewFormatSignedBlockCompressed4,
    cudaResViewFormatUnsignedBlockCompressed5, cudaResViewFormatSignedBlockCompressed5,
    cudaResViewFormatUnsignedBlockCompressed6H, cudaResViewFormatSignedBlockCompressed6H,
    cudaResViewFormatUnsignedBlockCompressed7
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { cudaMipmappedArray_t mipmap; } mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaResourceViewDesc {
    enum cudaResourceViewFormat format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
