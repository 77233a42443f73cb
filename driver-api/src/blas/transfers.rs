//! Copies of vectors and matrices between host and device ("cublasSetVector" and similar
//! functions). They are copies of `cudaMemcpy2D`, in the legacy default stream or in a stream of
//! the program's. An asynchronous copy to the program's own memory waits if that memory is not
//! page-locked, as with the runtime.

use warpsim_driver_core::{Block, DefaultStream, Handle, Spot};

use super::Wide;
use super::entered;
use super::status::{Done, Status};
use super::tasks::size;
use crate::functions::issued;

/// A matrix at either end, from host to device or back.
struct Transfer {
    is_to_device: bool,
    is_waited_for: bool,
    stream: Handle,
}

impl Transfer {
    /// Copies this many columns with this many bytes each. Their beginnings are a pitch apart.
    fn of_columns(
        &self,
        [bytes, columns]: [usize; 2],
        (from, from_pitch): (u64, usize),
        (to, to_pitch): (u64, usize),
    ) -> Done {
        if bytes == 0 || columns == 0 {
            return Ok(());
        }
        let (to, from) = match self.is_to_device {
            true => (Spot::Device(to), Spot::Host(from)),
            false => (Spot::Host(to), Spot::Device(from)),
        };
        let block = Block {
            to: (to, to_pitch as u64, 0),
            from: (from, from_pitch as u64, 0),
            extent: [bytes as u64, columns as u64, 1],
        };
        let copied = issued(block, (self.stream, DefaultStream::Legacy), self.is_waited_for);
        copied.map_err(|_| Status::MappingError)
    }

    fn vector(&self, [n, element]: [i64; 2], (x, incx): (u64, i64), (y, incy): (u64, i64)) -> Done {
        let is_wrong = n < 0 || element <= 0 || incx <= 0 || incy <= 0;
        if is_wrong {
            return Err(Status::InvalidValue);
        }
        let [n, element, incx, incy] = [size(n)?, size(element)?, size(incx)?, size(incy)?];
        match incx == 1 && incy == 1 {
            true => self.of_columns([n * element, 1], (x, 0), (y, 0)),
            false => self.of_columns([element, n], (x, incx * element), (y, incy * element)),
        }
    }

    fn matrix(
        &self,
        [rows, columns, element]: [i64; 3],
        (a, lda): (u64, i64),
        (b, ldb): (u64, i64),
    ) -> Done {
        let is_wrong = rows < 0
            || columns < 0
            || element <= 0
            || lda <= 0
            || ldb <= 0
            || lda < rows
            || ldb < rows;
        if is_wrong {
            return Err(Status::InvalidValue);
        }
        let [rows, columns, element] = [size(rows)?, size(columns)?, size(element)?];
        let pitch = |ld: i64| size(ld).map(|ld| ld * element);
        self.of_columns([rows * element, columns], (a, pitch(lda)?), (b, pitch(ldb)?))
    }
}

/// Both functions of a kind, for both sizes of integers.
macro_rules! transfers {
    ($table:ident, $int:ty, $end:literal: $($vector:literal, $matrix:literal, $to_device:literal;)*) => {$({
        #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
        #[unsafe(export_name = concat!("cublas", $vector, $end))]
        extern "C" fn vector(n: $int, element: $int, x: u64, incx: $int, y: u64, incy: $int) -> u32 {
            const NAME: &str = concat!("cublas", $vector, $end);
            let way = Transfer { is_to_device: $to_device, is_waited_for: true, stream: 0 };
            entered(NAME, &[("n", &n), ("elemSize", &element), ("x", &x), ("y", &y)], &mut || {
                way.vector([n.wide(), element.wide()], (x, incx.wide()), (y, incy.wide()))
            })
        }

        #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
        #[unsafe(export_name = concat!("cublas", $vector, "Async", $end))]
        extern "C" fn vector_async(
            n: $int, element: $int, x: u64, incx: $int, y: u64, incy: $int, stream: Handle,
        ) -> u32 {
            const NAME: &str = concat!("cublas", $vector, "Async", $end);
            let way = Transfer { is_to_device: $to_device, is_waited_for: false, stream };
            entered(NAME, &[("n", &n), ("elemSize", &element), ("x", &x), ("y", &y)], &mut || {
                way.vector([n.wide(), element.wide()], (x, incx.wide()), (y, incy.wide()))
            })
        }

        #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
        #[unsafe(export_name = concat!("cublas", $matrix, $end))]
        extern "C" fn matrix(
            rows: $int, columns: $int, element: $int, a: u64, lda: $int, b: u64, ldb: $int,
        ) -> u32 {
            const NAME: &str = concat!("cublas", $matrix, $end);
            let way = Transfer { is_to_device: $to_device, is_waited_for: true, stream: 0 };
            entered(NAME, &[("rows", &rows), ("cols", &columns), ("A", &a), ("B", &b)], &mut || {
                way.matrix([rows.wide(), columns.wide(), element.wide()], (a, lda.wide()), (b, ldb.wide()))
            })
        }

        #[expect(unsafe_code, reason = "the symbol that programs look for; nothing else has it")]
        #[unsafe(export_name = concat!("cublas", $matrix, "Async", $end))]
        extern "C" fn matrix_async(
            rows: $int, columns: $int, element: $int, a: u64, lda: $int, b: u64, ldb: $int, stream: Handle,
        ) -> u32 {
            const NAME: &str = concat!("cublas", $matrix, "Async", $end);
            let way = Transfer { is_to_device: $to_device, is_waited_for: false, stream };
            entered(NAME, &[("rows", &rows), ("cols", &columns), ("A", &a), ("B", &b)], &mut || {
                way.matrix([rows.wide(), columns.wide(), element.wide()], (a, lda.wide()), (b, ldb.wide()))
            })
        }

        $table.extend([
            (concat!("cublas", $vector, $end), vector as *const () as usize),
            (concat!("cublas", $vector, "Async", $end), vector_async as *const () as usize),
            (concat!("cublas", $matrix, $end), matrix as *const () as usize),
            (concat!("cublas", $matrix, "Async", $end), matrix_async as *const () as usize),
        ]);
    })*};
}

/// The symbols of this file.
pub(super) fn table() -> Vec<(&'static str, usize)> {
    let mut table: Vec<(&'static str, usize)> = Vec::new();
    transfers! { table, i32, "":
        "SetVector", "SetMatrix", true;
        "GetVector", "GetMatrix", false;
    }
    transfers! { table, i64, "_64":
        "SetVector", "SetMatrix", true;
        "GetVector", "GetMatrix", false;
    }
    table
}
