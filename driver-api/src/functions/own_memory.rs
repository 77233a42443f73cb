//! `ptx_run` of GPU Ocelot's C interface: emulators of whole devices, such as tinygrad's, load that
//! library and run kernels in the memory of the process.
//!
//! Ocelot's function returns nothing. This one returns 0, or the number of a `CUresult`, and says
//! on standard error why a kernel did not run.

use warpsim_driver_core::{CudaError, Mapping, OwnMemoryError, OwnMemoryRun};

use super::functions;
use crate::callbacks;
use crate::pointers::{Image, In};
use crate::process::{initialise, tell, with};

/// Pages of this size are mapped, or several of them.
const PAGE: u64 = 4096;

/// The memory of the process that may be read (proc(5), `/proc/pid/maps`). What the system has in
/// it for itself (`[vvar]`) is not the program's.
fn mappings(maps: &str) -> Vec<Mapping> {
    let mapping = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (first, end) = words.next()?.split_once('-')?;
        let rights = words.next()?;
        let name = words.nth(3).unwrap_or("");
        let is_of_system = name.starts_with("[v");
        let first = u64::from_str_radix(first, 16).ok()?.next_multiple_of(PAGE);
        let end = u64::from_str_radix(end, 16).ok()?;
        let is_writable = rights.contains('w');
        (rights.starts_with('r') && !is_of_system).then_some(Mapping { first, end, is_writable })
    };
    maps.lines().filter_map(mapping).collect()
}

/// Three numbers of blocks or threads.
fn extent(of: [i32; 3]) -> Result<[u32; 3], CudaError> {
    let [x, y, z] = of.map(u32::try_from);
    match (x, y, z) {
        (Ok(x), Ok(y), Ok(z)) => Ok([x, y, z]),
        (Err(_), _, _) | (_, Err(_), _) | (_, _, Err(_)) => Err(CudaError::InvalidValue),
    }
}

/// The number of an error, where C asks for one.
fn number(error: &OwnMemoryError) -> CudaError {
    match error {
        OwnMemoryError::Module(_) => CudaError::InvalidPtx,
        OwnMemoryError::Kernels(_) => CudaError::NotFound,
        OwnMemoryError::Stopped { .. } => CudaError::LaunchFailed,
        OwnMemoryError::ReadOnly(_) => CudaError::IllegalAddress,
        OwnMemoryError::Values { .. } | OwnMemoryError::Address(_) | OwnMemoryError::Device(_) => {
            CudaError::InvalidValue
        }
    }
}

functions! {
    ptx_run(
        source: Image, count: i32, values: In<u64>,
        block_x: i32, block_y: i32, block_z: i32,
        grid_x: i32, grid_y: i32, grid_z: i32,
        shared: i32
    ) {
        callbacks::settle();
        initialise(0)?;
        let source = source.bytes()?;
        let count = usize::try_from(count).map_err(|_| CudaError::InvalidValue)?;
        let values = (0..count).map(|index| values.at(index)).collect::<Result<Vec<_>, _>>()?;
        let run = OwnMemoryRun {
            source: &source,
            values: &values,
            grid: extent([grid_x, grid_y, grid_z])?,
            block: extent([block_x, block_y, block_z])?,
            shared: u32::try_from(shared).map_err(|_| CudaError::InvalidValue)?,
        };
        let maps = std::fs::read_to_string("/proc/self/maps");
        let maps = maps.map_err(|_| CudaError::OperatingSystem)?;
        let mappings = mappings(&maps);
        with(|call| call.run_in_own_memory(&run, &mappings).map_err(|error| {
            tell(&format!("warpsim: ptx_run: {error}"));
            number(&error)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mapped_is_the_programs_where_it_may_be_read() {
        let maps = "55d0000-55d1000 rw-p 00000000 00:00 0    [heap]\n\
                    7f00000-7f01000 ---p 00000000 00:00 0\n\
                    7f01000-7f02000 r--p 00000000 fe:00 12   /usr/lib/libc.so.6\n\
                    7ffc000-7ffd000 r--p 00000000 00:00 0    [vvar]\n";
        let mapping = |first, end, is_writable| Mapping { first, end, is_writable };
        let wanted =
            [mapping(0x55d_0000, 0x55d_1000, true), mapping(0x7f0_1000, 0x7f0_2000, false)];
        assert_eq!(mappings(maps), wanted);
    }
}
