//! The functions of CUPTI (CUPTI documentation, NVIDIA) that profilers of other programs call
//! first. There is no machine to profile. Each function answers `CUPTI_ERROR_NOT_SUPPORTED`, and a
//! profiler goes on without the GPU. NVIDIA's own library reads structures of NVIDIA's driver,
//! which are not here.
//!
//! In which direction it can be wrong: a call of a function that is missing here reaches NVIDIA's
//! library.

use std::ffi::{CStr, c_char};

use crate::pointers::Out;

/// `CUPTI_ERROR_NOT_SUPPORTED`.
const NOT_SUPPORTED: u32 = 27;

/// `CUPTI_ERROR_INVALID_PARAMETER`.
const INVALID: u32 = 1;

const WORDS: &CStr = c"CUPTI_ERROR_NOT_SUPPORTED";

macro_rules! absent {
    ($($name:ident)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that profilers look for; nothing else has it")]
            #[unsafe(no_mangle)]
            pub(super) extern "C" fn $name() -> u32 {
                NOT_SUPPORTED
            }
        )*

        /// The functions with their addresses.
        pub(crate) fn table() -> Vec<(&'static str, usize)> {
            vec![
                $((stringify!($name), $name as *const () as usize),)*
                ("cuptiGetResultString", cuptiGetResultString as *const () as usize),
            ]
        }
    };
}

absent! {
    cuptiActivityConfigurePCSampling
    cuptiActivityConfigureUnifiedMemoryCounter
    cuptiActivityDisable
    cuptiActivityDisableContext
    cuptiActivityEnable
    cuptiActivityEnableContext
    cuptiActivityEnableCudaEventDeviceTimestamps
    cuptiActivityEnableDriverApi
    cuptiActivityEnableHWTrace
    cuptiActivityEnableLatencyTimestamps
    cuptiActivityEnableRuntimeApi
    cuptiActivityFlush
    cuptiActivityFlushAll
    cuptiActivityFlushPeriod
    cuptiActivityGetAttribute
    cuptiActivityGetNextRecord
    cuptiActivityGetNumDroppedRecords
    cuptiActivityPopExternalCorrelationId
    cuptiActivityPushExternalCorrelationId
    cuptiActivityRegisterCallbacks
    cuptiActivityRegisterTimestampCallback
    cuptiActivitySetAttribute
    cuptiEnableAllDomains
    cuptiEnableCallback
    cuptiEnableDomain
    cuptiFinalize
    cuptiGetCallbackName
    cuptiGetCallbackState
    cuptiGetTimestamp
    cuptiGetVersion
    cuptiSubscribe
    cuptiSubscribe_v2
    cuptiSupportedDomains
    cuptiUnsubscribe
}

/// The words of a result.
#[expect(unsafe_code, reason = "the symbol that profilers look for; nothing else has it")]
#[unsafe(no_mangle)]
pub(super) extern "C" fn cuptiGetResultString(_: u32, text: Out<*const c_char>) -> u32 {
    match text.put(WORDS.as_ptr()) {
        Ok(()) => 0,
        Err(_) => INVALID,
    }
}
