//! The functions, with a file for each chapter of the API's reference. Each is a C function and a
//! row of the table.
//!
//! A function that works in a stream has two symbols: in the second (`_ptsz`, `_ptds`) stream 0 is
//! the thread's own.

mod absent;
mod advice;
mod arrays;
mod contexts;
mod copies;
mod devices;
mod entry_points;
mod launches;
mod logs;
mod memory;
mod mipmaps;
mod mirror;
mod modules;
mod old;
mod old_launches;
mod own_memory;
mod streams;
mod virtual_memory;

/// A C function, by its own name or by `[...]`, an attribute that gives it another.
macro_rules! function {
    ($entered:path, $name:ident, $default:ident = $value:expr, $arguments:tt, $body:block) => {
        $crate::functions::function!([no_mangle] $entered, $name, $default = $value, $arguments, $body);
    };
    ([$($export:tt)*] $entered:path, $name:ident, $default:ident = $value:expr, ($($argument:ident: $ty:ty),* $(,)?), $body:block) => {
        #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
        #[allow(clippy::too_many_arguments, reason = "as many as in `cuda.h`")]
        #[unsafe($($export)*)]
        pub(super) extern "C" fn $name($($argument: $ty),*) -> u32 {
            $entered(
                stringify!($name),
                &[$((stringify!($argument), &$argument)),*],
                &mut || {
                    let $default = $value;
                    $body
                },
            )
        }
    };
}

/// Functions of a chapter, and the table of them. `= NAME` is another symbol for the same, `/ NAME`
/// the one in which stream 0 is the thread's own.
macro_rules! functions {
    ($($name:ident $arguments:tt $(= $alias:ident)* $body:block)*) => {
        $(
            $crate::functions::function!(
                $crate::process::entered, $name, _default = (), $arguments, $body);
            $($crate::functions::function!(
                $crate::process::entered, $alias, _default = (), $arguments, $body);)*
        )*

        /// The symbols of this chapter.
        pub(super) fn table() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize),
                $((stringify!($alias), $alias as *const () as usize),)*)*]
        }
    };
}

/// The same of functions that work in streams.
macro_rules! streamed {
    ($($name:ident / $thread:ident |$default:ident| $arguments:tt $body:block)*) => {
        $(
            $crate::functions::function!(
                $crate::process::entered,
                $name, $default = warpsim_driver_core::DefaultStream::Legacy, $arguments, $body);
            $crate::functions::function!(
                $crate::process::entered,
                $thread, $default = warpsim_driver_core::DefaultStream::PerThread, $arguments, $body);
        )*

        /// The symbols of this chapter that work in streams.
        pub(super) fn streamed() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize),
                (stringify!($thread), $thread as *const () as usize),)*]
        }
    };
}

pub(crate) use advice::{
    advised, advised_at, fetched_at, fetched_to, range_attribute, range_attributes,
};
pub(crate) use arrays::{Lookup, Made, textured};
pub(crate) use copies::issued;
pub(crate) use devices::VERSION as CUDA_VERSION;
pub(crate) use function;
pub(crate) use launches::{attribute, is_cooperative, parameters};
pub(crate) use memory::{pool_attribute, set_pool_attribute};
pub(crate) use modules::{Asked, library_of_file, library_of_image};
pub(crate) use streams::{
    attached, attribute_value, elapsed, host_called, launch_attribute, query_event, query_stream,
    record, refuse_captured, set_stream_attribute, stream_attribute,
};
use {functions, streamed};

/// All symbols with their addresses.
pub(crate) fn table() -> impl Iterator<Item = (&'static str, usize)> {
    [
        absent::table(),
        advice::table(),
        advice::streamed(),
        arrays::table(),
        arrays::streamed(),
        contexts::table(),
        copies::streamed(),
        devices::table(),
        entry_points::table(),
        launches::table(),
        logs::table(),
        launches::streamed(),
        memory::table(),
        memory::streamed(),
        mipmaps::table(),
        mirror::table(),
        modules::table(),
        old::table(),
        old::narrow(),
        old_launches::table(),
        own_memory::table(),
        streams::table(),
        streams::streamed(),
        virtual_memory::table(),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// The implemented functions, without other names of the same.
    fn implemented() -> BTreeSet<&'static str> {
        let absent = absent::table().into_iter().chain(old::narrow()).chain(mirror::table());
        let absent: BTreeSet<&str> = absent.map(|(name, _)| name).collect();
        let of_driver = |name: &str| Some(name.strip_prefix("cu")?.starts_with(char::is_uppercase));
        let is_one = |name: &&str| of_driver(name) == Some(true);
        let all = crate::lookup::table().keys().copied().filter(is_one);
        let names = all.filter(|name| !absent.contains(name));
        names.filter(|name| !name.ends_with("_ptsz") && !name.ends_with("_ptds")).collect()
    }

    /// Words in lines of at most 100 columns.
    fn wrapped(text: &str) -> String {
        let mut lines = String::new();
        let mut column = 0;
        for word in text.split(' ') {
            let is_first = lines.is_empty();
            let fits = column + 1 + word.len() <= 100;
            lines.push_str(if is_first {
                ""
            } else if fits {
                " "
            } else {
                "\n"
            });
            column = if fits && !is_first { column + 1 + word.len() } else { word.len() };
            lines.push_str(word);
        }
        lines + "\n"
    }

    #[test]
    fn the_book_lists_the_functions_that_are_implemented() {
        const BEGIN: &str = "<!-- functions -->\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/exec.md");
        let page = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(BEGIN).unwrap();
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        let names: Vec<String> = implemented().iter().map(|name| format!("`{name}`")).collect();
        let list = wrapped(&format!("{}.", names.join(", ")));
        let wanted = format!("{before}{BEGIN}{list}<!-- end -->{after}");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &wanted).unwrap();
        }
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(page == wanted, "UPDATE_DOCS=1 cargo test -p warpsim-driver writes it anew");
    }

    #[test]
    fn what_is_absent_answers_that_it_is_not_supported() {
        // Before cuInit there is no driver to record it; it is still an answer.
        assert_eq!(absent::cuIpcGetMemHandle(), 801);
        assert!(implemented().len() > 180);
    }
}
