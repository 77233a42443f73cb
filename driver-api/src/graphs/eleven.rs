//! Functions of the CUDA 11 runtime whose signatures changed with CUDA 12, for programs that have
//! that runtime linked in ([`crate::static_runtime`]). Other programs do not need their symbols,
//! which are not visible outside.

use std::ffi::c_char;

use warpsim_driver_core::Handle;

use super::{changed, instantiated};
use crate::pointers::Out;
use crate::runtime::ready;

macro_rules! eleven {
    ($($of:literal $symbol:literal $name:ident $arguments:tt $body:block)*) => {
        $($crate::functions::function!([export_name = $symbol]
            $crate::runtime::entered, $name, _default = ready()?, $arguments, { let () = $body?; Ok(()) });)*

        /// The functions by their names with the version.
        pub(super) fn table() -> Vec<(&'static str, usize)> {
            vec![$(($of, $name as *const () as usize)),*]
        }
    };
}

eleven! {
    "cudaRuntimeGetVersion@libcudart.so.11.0" "__warpsim_cudaRuntimeGetVersion_11" version_11(version: Out<i32>) {
        version.put(11_080)
    }
    "cudaGraphInstantiate@libcudart.so.11.0" "__warpsim_cudaGraphInstantiate_11" instantiate_11(
        instance: Out<Handle>, graph: Handle, node: Out<Handle>, log: Out<c_char>, room: usize
    ) {
        if room > 0 {
            log.put_if_wanted(0);
        }
        node.put_if_wanted(0);
        instantiated(instance, graph, 0)
    }
    "cudaGraphExecUpdate@libcudart.so.11.0" "__warpsim_cudaGraphExecUpdate_11" update_11(
        instance: Handle, graph: Handle, node: Out<Handle>, result: Out<u32>
    ) {
        changed(instance, graph, node, result)
    }
}
