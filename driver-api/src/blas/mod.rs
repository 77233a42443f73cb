//! cuBLAS's functions (cuBLAS documentation, NVIDIA, version 12), for programs that find this
//! library in place of `libcublas.so.12`, `.13` and `libcublasLt.so`. [`warpsim_blas`] computes the
//! results.
//!
//! Each call is one operation of the handle's stream. It reads and writes device memory in the
//! stream's order. A search for races sees exactly the elements that it touches, and nothing
//! between them. A stream that is captured gets a node.
//!
//! | module | what it holds |
//! |---|---|
//! | `status`, `handles` | errors; what a handle remembers |
//! | `tasks` | operands: scalars of the host or of the device, vectors, matrices; operations |
//! | `level1`, `level2`, `level3`, `factors` | the routines by their names |
//! | `batches` | many small products, by lists of addresses or by strides |
//! | `types`, `extended`, `products` | routines whose types are arguments |
//! | `transfers` | copies of vectors and matrices |
//! | `lt` | cublasLt |
//!
//! Deviations:
//! - Sums are made in order; algorithms, math modes and workspaces change nothing. Half precision
//!   is computed in `f32`.
//! - Stream 0 is the legacy default stream.
//! - A device pointer that leads nowhere is `CUBLAS_STATUS_EXECUTION_FAILED` at once; on hardware
//!   it is an error of the context, later.
//! - The API without handles (`cublas.h`) is in the header, over these functions.

mod batches;
mod extended;
mod factors;
mod handles;
mod level1;
mod level2;
mod level3;
mod lt;
mod products;
mod status;
mod tasks;
mod transfers;
mod types;

use crate::process::Api;
use crate::process::{self, Arguments};
use status::Done;

/// A call from C: whatever happens in it, a number comes back.
fn entered(name: &'static str, arguments: Arguments<'_>, body: &mut dyn FnMut() -> Done) -> u32 {
    process::answered(Api::Driver, name, arguments, body)
}

/// Numbers as the bodies have them: sizes in 64 bits, whichever function the program called.
trait Wide {
    type To;
    fn wide(self) -> Self::To;
}

macro_rules! wide {
    ($($from:ty => $to:ty),*) => {$(
        impl Wide for $from {
            type To = $to;
            fn wide(self) -> $to {
                self.into()
            }
        }
    )*};
}

wide!(i32 => i64, i64 => i64, u32 => u32, u64 => u64, usize => usize);

/// A C function, by its whole name, whose body has the arguments as they are.
macro_rules! plain {
    ($($name:ident($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
            #[allow(clippy::too_many_arguments, reason = "as many as in `cublas_api.h`")]
            #[unsafe(no_mangle)]
            pub(super) extern "C" fn $name($($argument: $ty),*) -> u32 {
                $crate::blas::entered(
                    stringify!($name),
                    &[$((stringify!($argument), &$argument)),*],
                    &mut || $body,
                )
            }
        )*

        /// The symbols of this file.
        pub(super) fn plain() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize)),*]
        }
    };
}

/// Families of routines: `[letters and types] "rest of the name" body(arguments);`, the body a
/// generic function that is given the task and the arguments. Each routine is there with sizes of
/// 32 bits and, by a name that ends in `_64`, of 64, except those after `narrow:`.
macro_rules! routines {
    ($([$($letters:tt)*] $name:literal $body:ident $arguments:tt;)* narrow: $([$($few:tt)*] $short:literal $of:ident $given:tt;)*) => {
        /// The symbols of this file.
        pub(super) fn table() -> Vec<(&'static str, usize)> {
            let mut table = Vec::new();
            $($crate::blas::routines!(@letters table, [$($letters)*], i32, $name, "", $body $arguments);
              $crate::blas::routines!(@letters table, [$($letters)*], i64, $name, "_64", $body $arguments);)*
            $($crate::blas::routines!(@letters table, [$($few)*], i32, $short, "", $of $given);)*
            table
        }
    };
    (@letters $table:ident, [$($letter:literal $ty:ty),*], $int:ty, $name:literal, $end:literal, $body:ident $arguments:tt) => {
        $($crate::blas::routines!(
            @one $table, concat!("cublas", $letter, $name, $end), $ty, $int, $body $arguments);)*
    };
    (@one $table:ident, $name:expr, $ty:ty, $int:ty, $body:ident ($($argument:ident: $kind:ty),*)) => {{
        #[allow(dead_code, reason = "not all routines have all kinds of arguments")]
        type Int = $int;
        #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
        #[allow(clippy::too_many_arguments, reason = "as many as in `cublas_api.h`")]
        #[unsafe(export_name = $name)]
        extern "C" fn exported(handle: u64, $($argument: $kind),*) -> u32 {
            $crate::blas::entered(
                $name,
                &[("handle", &handle), $((stringify!($argument), &$argument)),*],
                &mut || {
                    let task = $crate::blas::tasks::Task::of($name, handle)?;
                    $body::<$ty>(&task, $($crate::blas::Wide::wide($argument)),*)
                },
            )
        }
        $table.push(($name, exported as *const () as usize));
    }};
}

use {plain, routines};

/// All symbols with their addresses.
pub(crate) fn table() -> impl Iterator<Item = (&'static str, usize)> {
    [
        handles::plain(),
        handles::answers(),
        transfers::table(),
        level1::table(),
        level2::table(),
        level3::table(),
        batches::table(),
        factors::table(),
        extended::table(),
        products::table(),
        lt::plain(),
        lt::answers(),
    ]
    .into_iter()
    .flatten()
}
