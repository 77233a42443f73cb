//! Which lines of a chain of inlined calls are the user's, and which belong to the headers of a
//! library.
//!
//! A message names the user's line first: an event in a header has its cause in a call there. A
//! file belongs to a library if its path says so: a folder of the system, of a toolkit, of
//! installed Python packages, or of a library that comes with CUDA (CUB, Thrust, libcu++). So do
//! warpsim's own headers.
//!
//! Direction of error: headers of a library in another folder count as the user's, and are named as
//! such.

use super::lines::SourcePosition;

/// A position as a user sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen<'a> {
    /// The innermost line that belongs to the user; if there is none, the outermost one.
    pub own: &'a SourcePosition,
    /// The calls into which that was inlined, innermost first.
    pub callers: &'a [SourcePosition],
    /// The lines of libraries that are inside of it, outermost first.
    pub inside: Inside<'a>,
}

/// Lines of libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inside<'a> {
    innermost: &'a SourcePosition,
    /// How many there are: the innermost, and the first of its calls.
    count: usize,
}

impl<'a> Inside<'a> {
    /// The lines, outermost first.
    pub fn lines(self) -> impl Iterator<Item = &'a SourcePosition> {
        let all = std::iter::once(self.innermost).chain(&self.innermost.inlined_at);
        let lines: Vec<&SourcePosition> = all.take(self.count).collect();
        lines.into_iter().rev()
    }
}

impl SourcePosition {
    /// The position as a user sees it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use warpsim::ptx::SourcePosition;
    ///
    /// let at = |file: &str, line, inlined_at| SourcePosition { file: Arc::from(file), line, column: 1, inlined_at };
    /// let calls = vec![at("/usr/include/cub/block.cuh", 40, vec![]), at("sum.cu", 7, vec![])];
    /// let position = at("/usr/include/cub/warp.cuh", 9, calls);
    /// let seen = position.seen();
    /// assert_eq!((&*seen.own.file, seen.own.line), ("sum.cu", 7));
    /// assert_eq!(seen.inside.lines().map(|line| line.line).collect::<Vec<_>>(), [40, 9]);
    /// ```
    pub fn seen(&self) -> Seen<'_> {
        let calls = &self.inlined_at;
        if !is_of_library(&self.file) {
            let inside = Inside { innermost: self, count: 0 };
            return Seen { own: self, callers: calls, inside };
        }
        let own = calls.iter().position(|call| !is_of_library(&call.file));
        match own.or_else(|| calls.len().checked_sub(1)) {
            Some(index) => Seen {
                own: &calls[index],
                callers: &calls[index + 1..],
                inside: Inside { innermost: self, count: index + 1 },
            },
            None => {
                Seen { own: self, callers: calls, inside: Inside { innermost: self, count: 0 } }
            }
        }
    }
}

/// Folders of installed files, as parts of a path.
const FOLDERS: [&str; 13] = [
    "/usr/include/",
    "/usr/local/include/",
    "/usr/lib/",
    "/usr/local/lib/",
    "/usr/local/cuda",
    "/opt/cuda",
    "/site-packages/",
    "/dist-packages/",
    "/include/cub/",
    "/include/thrust/",
    "/include/cccl/",
    "/include/warpsim/",
    "/targets/x86_64-linux/include/",
];

/// Folders of libraries that come with CUDA, wherever they lie.
const LIBRARIES: [&str; 5] = ["cub", "thrust", "cccl", "libcudacxx", "cooperative_groups"];

/// How the names of headers begin that come with compilers, CUDA's and warpsim's.
const HEADERS: [&str; 11] = [
    "cooperative_groups.h",
    "__clang_cuda_",
    "warpsim_cuda.h",
    "cuda_runtime",
    "cuda_fp",
    "cuda_bf16",
    "sm_",
    "device_functions",
    "device_atomic_functions",
    "device_launch_parameters",
    "math_functions",
];

/// Whether a file is a header of a library.
pub fn is_of_library(file: &str) -> bool {
    let file = file.replace('\\', "/");
    if FOLDERS.iter().any(|folder| file.contains(folder)) {
        return true;
    }
    let (folders, name) = file.rsplit_once('/').unwrap_or(("", &file));
    let is_header =
        ["h", "hpp", "cuh", "inl", ""].contains(&name.rsplit_once('.').map_or("", |n| n.1));
    let is_in_library = folders.split('/').any(|folder| LIBRARIES.contains(&folder));
    let begins = |start: &&str| name.starts_with(*start);
    is_header && (is_in_library || HEADERS.iter().any(begins))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn chain(files: &[(&str, u32)]) -> SourcePosition {
        let at = |(file, line): &(&str, u32)| SourcePosition {
            file: Arc::from(*file),
            line: *line,
            column: 0,
            inlined_at: Vec::new(),
        };
        let calls = files[1..].iter().map(at).collect();
        SourcePosition { inlined_at: calls, ..at(&files[0]) }
    }

    #[test]
    fn the_innermost_line_of_the_user_is_seen_and_what_is_in_it() {
        let position = chain(&[
            ("/tmp/x/include/cooperative_groups.h", 136),
            ("/tmp/x/include/cooperative_groups/reduce.h", 20),
            ("src/helper.cuh", 5),
            ("src/main.cu", 30),
        ]);
        let seen = position.seen();
        assert_eq!((&*seen.own.file, seen.own.line), ("src/helper.cuh", 5));
        assert_eq!(seen.callers, [chain(&[("src/main.cu", 30)])]);
        assert_eq!(seen.inside.lines().map(|l| l.line).collect::<Vec<_>>(), [20, 136]);
    }

    #[test]
    fn where_all_is_of_the_user_or_all_of_libraries_nothing_is_hidden() {
        let own = chain(&[("a.cu", 3), ("a.cu", 9)]);
        assert_eq!((own.seen().own.line, own.seen().callers.len()), (3, 1));
        assert_eq!(own.seen().inside.lines().count(), 0);
        let library = chain(&[("/usr/include/cub/a.cuh", 3), ("/usr/include/cub/b.cuh", 9)]);
        assert_eq!((library.seen().own.line, library.seen().callers.len()), (9, 0));
        assert_eq!(library.seen().inside.lines().map(|l| l.line).collect::<Vec<_>>(), [3]);
        let alone = chain(&[("/usr/include/cub/a.cuh", 3)]);
        assert_eq!(alone.seen().own.line, 3);
    }

    #[test]
    fn libraries_are_told_by_their_paths() {
        for file in [
            "/usr/local/cuda-13.0/include/cub/block/block_scan.cuh",
            "/home/me/venv/lib/python3.12/site-packages/nvidia/cuda_cccl/x.h",
            "third_party/cub/cub/warp/warp_reduce.cuh",
            "/tmp/warpsim-clang-x/include/warpsim/threads.h",
            "/tmp/warpsim-clang-x/include/cooperative_groups.h",
            "cuda_fp16.hpp",
            "sm_30_intrinsics.hpp",
        ] {
            assert!(is_of_library(file), "{file}");
        }
        for file in [
            "scan.cu",
            "src/warpsim/scan.cuh",
            "src/cuda/scan.cuh",
            "src/thrust/mine.cu",
            "kernel.py",
            "sm_copy.cu",
        ] {
            assert!(!is_of_library(file), "{file}");
        }
    }
}
