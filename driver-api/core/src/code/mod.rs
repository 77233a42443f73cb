//! Code that a program loads: images, modules, linkers, and kernels as handles (CUDA driver API,
//! "Module Management", "Library Management").

pub(super) mod functions;
pub(super) mod image;
pub(super) mod jitlink;
pub(super) mod linker;
pub(super) mod modules;
