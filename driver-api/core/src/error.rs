//! The results of calls: the numbers, names and words of `CUresult` (CUDA driver API, "Data types
//! used by CUDA driver", `cuGetErrorName`, `cuGetErrorString`).
//!
//! The numbers and names are from `cuda.h`. Frequent errors have the words that drivers give; the
//! others have their names in small letters.

use std::ffi::CStr;

macro_rules! results {
    ($($variant:ident = $number:literal, $name:literal, $words:literal;)*) => {
        /// An error of the driver API. Success is no error; it is here only because it has a name,
        /// too.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum CudaError {
            $(#[doc = concat!("`", $name, "`.")] $variant = $number,)*
        }

        impl CudaError {
            /// All of them, by their numbers.
            pub const ALL: &'static [CudaError] = &[$(CudaError::$variant),*];

            const fn texts(self) -> (&'static str, &'static str) {
                match self {
                    $(CudaError::$variant => (concat!($name, "\0"), concat!($words, "\0")),)*
                }
            }
        }
    };
}

results! {
    Success = 0, "CUDA_SUCCESS", "no error";
    InvalidValue = 1, "CUDA_ERROR_INVALID_VALUE", "invalid argument";
    OutOfMemory = 2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory";
    NotInitialized = 3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error";
    Deinitialized = 4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down";
    ProfilerDisabled = 5, "CUDA_ERROR_PROFILER_DISABLED", "profiler disabled while using external profiling tool";
    ProfilerNotInitialized = 6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED", "profiler not initialized";
    ProfilerAlreadyStarted = 7, "CUDA_ERROR_PROFILER_ALREADY_STARTED", "profiler already started";
    ProfilerAlreadyStopped = 8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED", "profiler already stopped";
    StubLibrary = 34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library";
    CallRequiresNewerDriver = 36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "call requires newer driver";
    DeviceUnavailable = 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable";
    MulticastResourceFull = 47, "CUDA_ERROR_MULTICAST_RESOURCE_FULL", "multicast resource full";
    NoDevice = 100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected";
    InvalidDevice = 101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal";
    DeviceNotLicensed = 102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "device not licensed";
    InvalidImage = 200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid";
    InvalidContext = 201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context";
    ContextAlreadyCurrent = 202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", "context already current";
    MapFailed = 205, "CUDA_ERROR_MAP_FAILED", "mapping of buffer object failed";
    UnmapFailed = 206, "CUDA_ERROR_UNMAP_FAILED", "unmapping of buffer object failed";
    ArrayIsMapped = 207, "CUDA_ERROR_ARRAY_IS_MAPPED", "array is mapped";
    AlreadyMapped = 208, "CUDA_ERROR_ALREADY_MAPPED", "already mapped";
    NoBinaryForGpu = 209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device";
    AlreadyAcquired = 210, "CUDA_ERROR_ALREADY_ACQUIRED", "already acquired";
    NotMapped = 211, "CUDA_ERROR_NOT_MAPPED", "not mapped";
    NotMappedAsArray = 212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "not mapped as array";
    NotMappedAsPointer = 213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER", "not mapped as pointer";
    EccUncorrectable = 214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered";
    UnsupportedLimit = 215, "CUDA_ERROR_UNSUPPORTED_LIMIT", "limit is not supported on this architecture";
    ContextAlreadyInUse = 216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "exclusive-thread device already in use by a different thread";
    PeerAccessUnsupported = 217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported between these two devices";
    InvalidPtx = 218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed";
    InvalidGraphicsContext = 219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "invalid graphics context";
    NvlinkUncorrectable = 220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "nvlink uncorrectable";
    JitCompilerNotFound = 221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found";
    UnsupportedPtxVersion = 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX was compiled with an unsupported toolchain.";
    JitCompilationDisabled = 223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "PTX JIT compilation was disabled";
    UnsupportedExecAffinity = 224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "unsupported exec affinity";
    UnsupportedDevsideSync = 225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "unsupported devside sync";
    Contained = 226, "CUDA_ERROR_CONTAINED", "contained";
    InsufficientLoaderVersion = 227, "CUDA_ERROR_INSUFFICIENT_LOADER_VERSION", "insufficient loader version";
    InvalidSource = 300, "CUDA_ERROR_INVALID_SOURCE", "device kernel image is invalid";
    FileNotFound = 301, "CUDA_ERROR_FILE_NOT_FOUND", "file not found";
    SharedObjectSymbolNotFound = 302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "shared object symbol not found";
    SharedObjectInitFailed = 303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "shared object initialization failed";
    OperatingSystem = 304, "CUDA_ERROR_OPERATING_SYSTEM", "OS call failed or operation not supported on this OS";
    InvalidHandle = 400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle";
    IllegalState = 401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state";
    LossyQuery = 402, "CUDA_ERROR_LOSSY_QUERY", "lossy query";
    NotFound = 500, "CUDA_ERROR_NOT_FOUND", "named symbol not found";
    NotReady = 600, "CUDA_ERROR_NOT_READY", "device not ready";
    IllegalAddress = 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered";
    LaunchOutOfResources = 701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch";
    LaunchTimeout = 702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated";
    LaunchIncompatibleTexturing = 703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "launch incompatible texturing";
    PeerAccessAlreadyEnabled = 704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled";
    PeerAccessNotEnabled = 705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled";
    PrimaryContextActive = 708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "cannot set while device is active in this process";
    ContextIsDestroyed = 709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed";
    Assert = 710, "CUDA_ERROR_ASSERT", "device-side assert triggered";
    TooManyPeers = 711, "CUDA_ERROR_TOO_MANY_PEERS", "peer mapping resources exhausted";
    HostMemoryAlreadyRegistered = 712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "part or all of the requested memory range is already mapped";
    HostMemoryNotRegistered = 713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "pointer does not correspond to a registered memory region";
    HardwareStackError = 714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error";
    IllegalInstruction = 715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered";
    MisalignedAddress = 716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address";
    InvalidAddressSpace = 717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space";
    InvalidPc = 718, "CUDA_ERROR_INVALID_PC", "invalid program counter";
    LaunchFailed = 719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure";
    CooperativeLaunchTooLarge = 720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch";
    TensorMemoryLeak = 721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "tensor memory leak";
    NotPermitted = 800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted";
    NotSupported = 801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported";
    SystemNotReady = 802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized";
    SystemDriverMismatch = 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "system has unsupported display driver / cuda driver combination";
    CompatNotSupportedOnDevice = 804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "compat not supported on device";
    MpsConnectionFailed = 805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "mps connection failed";
    MpsRpcFailure = 806, "CUDA_ERROR_MPS_RPC_FAILURE", "mps rpc failure";
    MpsServerNotReady = 807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "mps server not ready";
    MpsMaxClientsReached = 808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "mps max clients reached";
    MpsMaxConnectionsReached = 809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "mps max connections reached";
    MpsClientTerminated = 810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "mps client terminated";
    CdpNotSupported = 811, "CUDA_ERROR_CDP_NOT_SUPPORTED", "cdp not supported";
    CdpVersionMismatch = 812, "CUDA_ERROR_CDP_VERSION_MISMATCH", "cdp version mismatch";
    StreamCaptureUnsupported = 900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing";
    StreamCaptureInvalidated = 901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture";
    StreamCaptureMerge = 902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "stream capture merge";
    StreamCaptureUnmatched = 903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "stream capture unmatched";
    StreamCaptureUnjoined = 904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "stream capture unjoined";
    StreamCaptureIsolation = 905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "stream capture isolation";
    StreamCaptureImplicit = 906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "stream capture implicit";
    CapturedEvent = 907, "CUDA_ERROR_CAPTURED_EVENT", "captured event";
    StreamCaptureWrongThread = 908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "stream capture wrong thread";
    Timeout = 909, "CUDA_ERROR_TIMEOUT", "wait operation timed out";
    GraphExecUpdateFailure = 910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update";
    ExternalDevice = 911, "CUDA_ERROR_EXTERNAL_DEVICE", "external device";
    InvalidClusterSize = 912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "a kernel launch error has occurred due to cluster misconfiguration";
    FunctionNotLoaded = 913, "CUDA_ERROR_FUNCTION_NOT_LOADED", "a function handle is not loaded when calling an API that requires a loaded function";
    InvalidResourceType = 914, "CUDA_ERROR_INVALID_RESOURCE_TYPE", "invalid resource type";
    InvalidResourceConfiguration = 915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "invalid resource configuration";
    KeyRotation = 916, "CUDA_ERROR_KEY_ROTATION", "key rotation";
    StreamDetached = 917, "CUDA_ERROR_STREAM_DETACHED", "stream detached";
    GraphRecaptureFailure = 918, "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE", "graph recapture failure";
    FabricNotReady = 919, "CUDA_ERROR_FABRIC_NOT_READY", "fabric not ready";
    Unknown = 999, "CUDA_ERROR_UNKNOWN", "unknown error";
}

impl CudaError {
    /// Its number in `cuda.h`.
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The error with this number.
    ///
    /// ```
    /// use warpsim_driver_core::CudaError;
    ///
    /// assert_eq!(CudaError::of_number(700), Some(CudaError::IllegalAddress));
    /// assert_eq!(CudaError::of_number(123_456), None);
    /// ```
    pub fn of_number(number: u32) -> Option<CudaError> {
        CudaError::ALL.iter().copied().find(|error| error.number() == number)
    }

    /// Its name in `cuda.h`.
    pub fn name(self) -> &'static CStr {
        ended(self.texts().0)
    }

    /// Its meaning.
    pub fn words(self) -> &'static CStr {
        ended(self.texts().1)
    }
}

/// A text of the table, which ends in a zero and has no other.
fn ended(text: &'static str) -> &'static CStr {
    CStr::from_bytes_until_nul(text.as_bytes()).unwrap_or(c"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_a_name_of_cuda_h_and_words_and_no_number_twice() {
        let mut numbers: Vec<u32> = CudaError::ALL.iter().map(|error| error.number()).collect();
        for error in CudaError::ALL {
            assert!(error.name().to_bytes().starts_with(b"CUDA_"), "{error:?}");
            assert!(!error.words().to_bytes().is_empty(), "{error:?}");
            assert_eq!(CudaError::of_number(error.number()), Some(*error));
        }
        numbers.dedup();
        assert_eq!(numbers.len(), CudaError::ALL.len());
        assert_eq!(CudaError::OutOfMemory.words(), c"out of memory");
    }
}
