//! Nodes of the runtime that copy to and from variables of the device. The host names each variable
//! by its own counterpart of it.

use warpsim_driver_core::{GraphTask, Handle};

use super::nodes::add;
use super::own::plain;
use crate::pointers::{In, Out};
use crate::process::with;
use crate::runtime::{self, RuntimeError, inside};

/// A copy to a variable, or from one: the variable, what it is copied from or to, how many bytes,
/// from which one on, and the kind of the copy.
struct Symbol(u64, u64, usize, usize, u32);

impl Symbol {
    fn written(&self) -> Result<GraphTask, RuntimeError> {
        let Symbol(symbol, from, bytes, offset, kind) = *self;
        plain(inside(symbol, bytes, offset)?, from, bytes, kind)
    }

    fn read(&self) -> Result<GraphTask, RuntimeError> {
        let Symbol(symbol, to, bytes, offset, kind) = *self;
        plain(to, inside(symbol, bytes, offset)?, bytes, kind)
    }
}

macro_rules! symbols {
    ($($name:ident $arguments:tt $body:block)*) => {
        $($crate::functions::function!($crate::runtime::entered, $name, _default = runtime::ready()?, $arguments, $body);)*

        /// The symbols of this file.
        pub(super) fn table() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize),)*]
        }
    };
}

symbols! {
    cudaGraphAddMemcpyNodeToSymbol(
        node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize, symbol: u64, from: u64, bytes: usize,
        offset: usize, kind: u32
    ) {
        let task = Symbol(symbol, from, bytes, offset, kind).written()?;
        Ok(add(node, graph, (behind, count), task)?)
    }
    cudaGraphAddMemcpyNodeFromSymbol(
        node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize, to: u64, symbol: u64, bytes: usize,
        offset: usize, kind: u32
    ) {
        let task = Symbol(symbol, to, bytes, offset, kind).read()?;
        Ok(add(node, graph, (behind, count), task)?)
    }
    cudaGraphMemcpyNodeSetParamsToSymbol(node: Handle, symbol: u64, from: u64, bytes: usize, offset: usize, kind: u32) {
        let task = Symbol(symbol, from, bytes, offset, kind).written()?;
        Ok(with(|call| call.set_node_task(node, task))?)
    }
    cudaGraphMemcpyNodeSetParamsFromSymbol(node: Handle, to: u64, symbol: u64, bytes: usize, offset: usize, kind: u32) {
        let task = Symbol(symbol, to, bytes, offset, kind).read()?;
        Ok(with(|call| call.set_node_task(node, task))?)
    }
    cudaGraphExecMemcpyNodeSetParamsToSymbol(
        instance: Handle, node: Handle, symbol: u64, from: u64, bytes: usize, offset: usize, kind: u32
    ) {
        let task = Symbol(symbol, from, bytes, offset, kind).written()?;
        Ok(with(|call| call.set_step_task(instance, node, task))?)
    }
    cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        instance: Handle, node: Handle, to: u64, symbol: u64, bytes: usize, offset: usize, kind: u32
    ) {
        let task = Symbol(symbol, to, bytes, offset, kind).read()?;
        Ok(with(|call| call.set_step_task(instance, node, task))?)
    }
}
