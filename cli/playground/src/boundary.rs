//! What JavaScript calls: memory for a request, and the answer to it.
//!
//! The page writes a request, as UTF-8, into memory of [`warpsim_room`], and calls
//! [`warpsim_answer`]. The answer stays in memory until the next call. A panic is a bug in warpsim:
//! its message is handed to the page before the instance ends.
#![expect(unsafe_code, reason = "JavaScript gives and takes addresses")]

use std::cell::RefCell;
use std::panic;

thread_local! {
    /// The request, while it is written.
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The last answer.
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Takes the message of a panic.
    fn bug(message: *const u8, length: usize);
}

/// Memory for a request of this many bytes.
// SAFETY: no other function of this module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn warpsim_room(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request that was written, and returns the bytes of the answer.
// SAFETY: no other function of this module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn warpsim_answer() -> usize {
    panic::set_hook(Box::new(|info| {
        let message = info.to_string();
        // SAFETY: the page reads this many bytes of the message before it returns.
        unsafe { bug(message.as_ptr(), message.len()) }
    }));
    let request = REQUEST.take();
    let answer = crate::answer(&String::from_utf8_lossy(&request)).into_bytes();
    let length = answer.len();
    ANSWER.set(answer);
    length
}

/// Where the answer is.
// SAFETY: no other function of this module has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn warpsim_answer_at() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}
