//! "Graph Management" of the driver API and of the runtime API: most functions have one form in
//! both.
//!
//! Data that a function returns by pointer (parameters of a kernel, the last nodes of a stream) is
//! kept here as long as the API says.

mod captures;
mod eleven;
mod facts;
mod generic;
mod instances;
mod kept;
mod memory;
mod nodes;
mod own;
mod structures;
mod tasks;

use warpsim_driver_core::{Answer, CudaError, Handle};

use crate::pointers::{In, Out};
use crate::process::unsupported;
use instances::{changed, instantiated};
use structures::EdgeData;

/// Functions of both APIs: the driver's name, the runtime's, and, where the libraries of CUDA 12
/// and 13 differ, a symbol of the runtime with its version.
macro_rules! both {
    ($([$driver:ident $(, $runtime:ident)* $(; $symbol:ident $version:literal $name:ident)?] $arguments:tt $body:block)*) => {
        $(
            $crate::functions::function!(
                $crate::process::entered, $driver, _default = (), $arguments, $body);
            $($crate::functions::function!(
                $crate::runtime::entered, $runtime, _default = $crate::runtime::ready()?, $arguments, { let () = $body?; Ok(()) });)*
            $($crate::functions::function!(
                [export_name = concat!(stringify!($symbol), $version)]
                $crate::runtime::entered, $name, _default = $crate::runtime::ready()?, $arguments, { let () = $body?; Ok(()) });)?
        )*

        /// The symbols of this file.
        pub(crate) fn table() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($driver), $driver as *const () as usize),
                $((stringify!($runtime), $runtime as *const () as usize),)*
                $((concat!(stringify!($symbol), $version), $name as *const () as usize),)?)*]
        }
    };
}

/// The same of functions that work in streams, each with its other name in which stream 0 is the
/// thread's own.
macro_rules! both_streamed {
    ($($driver:ident / $driver_thread:ident, $runtime:ident / $runtime_thread:ident |$default:ident| $arguments:tt $body:block)*) => {
        $(
            $crate::functions::function!($crate::process::entered, $driver,
                $default = warpsim_driver_core::DefaultStream::Legacy, $arguments, $body);
            $crate::functions::function!($crate::process::entered, $driver_thread,
                $default = warpsim_driver_core::DefaultStream::PerThread, $arguments, $body);
            $crate::functions::function!($crate::runtime::entered, $runtime,
                $default = $crate::runtime::in_stream(warpsim_driver_core::DefaultStream::Legacy)?,
                $arguments, { let () = $body?; Ok(()) });
            $crate::functions::function!($crate::runtime::entered, $runtime_thread,
                $default = $crate::runtime::in_stream(warpsim_driver_core::DefaultStream::PerThread)?,
                $arguments, { let () = $body?; Ok(()) });
        )*

        /// The symbols of this file that work in streams.
        pub(crate) fn streamed() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($driver), $driver as *const () as usize),
                (stringify!($driver_thread), $driver_thread as *const () as usize),
                (stringify!($runtime), $runtime as *const () as usize),
                (stringify!($runtime_thread), $runtime_thread as *const () as usize),)*]
        }
    };
}

use {both, both_streamed};

/// All symbols with their addresses.
pub(crate) fn table() -> impl Iterator<Item = (&'static str, usize)> {
    [
        captures::table(),
        captures::streamed(),
        eleven::table(),
        facts::table(),
        generic::own(),
        instances::table(),
        instances::streamed(),
        memory::table(),
        nodes::table(),
        own::table(),
        tasks::table(),
        tasks::own(),
    ]
    .into_iter()
    .flatten()
}

/// Some nodes that a function is given.
fn handles(nodes: In<Handle>, count: usize) -> Answer<Vec<Handle>> {
    (0..count).map(|index| nodes.at(index)).collect()
}

/// Refuses edges that are not whole ones.
fn whole(edges: In<EdgeData>, count: usize) -> Answer<()> {
    for index in 0..if edges.is_null() { 0 } else { count } {
        if edges.at(index)? != [0; 8] {
            unsupported("edges of graphs with ports or types (programmatic launches)")?;
        }
    }
    Ok(())
}

/// Gives some handles, or how many there are where there is no place for them. What there is room
/// for beyond them is 0.
fn list(to: Out<Handle>, count: Out<usize>, all: &[Handle]) -> Answer<()> {
    if to.is_null() {
        return count.put(all.len());
    }
    let room = count.get()?;
    let beyond = room.saturating_sub(all.len());
    to.put_all(all.iter().copied().take(room).chain(std::iter::repeat_n(0, beyond)))?;
    count.put(room.min(all.len()))
}

/// The same for edges, with the data of each: it says that the edge is a whole one.
fn list_edges(
    from: Out<Handle>,
    to: Out<Handle>,
    data: Out<EdgeData>,
    count: Out<usize>,
    all: &[(Handle, Handle)],
) -> Answer<()> {
    if from.is_null() != to.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let (first, second): (Vec<Handle>, Vec<Handle>) = all.iter().copied().unzip();
    if from.is_null() {
        return count.put(all.len());
    }
    let room = count.get()?;
    list(from, count, &first)?;
    count.put(room)?;
    list(to, count, &second)?;
    list_data(data, count)
}

fn list_data(data: Out<EdgeData>, count: Out<usize>) -> Answer<()> {
    match data.is_null() {
        true => Ok(()),
        false => data.put_all(std::iter::repeat_n([0; 8], count.get()?)),
    }
}

fn pairs(from: In<Handle>, to: In<Handle>, count: usize) -> Answer<Vec<(Handle, Handle)>> {
    Ok(handles(from, count)?.into_iter().zip(handles(to, count)?).collect())
}
