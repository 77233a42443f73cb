//! Functions of libraries that are declared but not implemented here: each answers that it is not
//! supported, and is named once.

/// Functions that take anything, and the table of their symbols. `refused` names a function and
/// gives the library's status; `success` is the status that cannot come of it.
macro_rules! absent {
    ($refused:path, $success:expr; $($name:ident)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
            #[unsafe(no_mangle)]
            pub(super) extern "C" fn $name() -> u32 {
                // What it is given stays unread.
                match $refused(stringify!($name)) {
                    Ok(()) => $success as u32,
                    Err(status) => status as u32,
                }
            }
        )*

        /// All symbols with their addresses.
        pub(super) fn table() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

pub(crate) use absent;
