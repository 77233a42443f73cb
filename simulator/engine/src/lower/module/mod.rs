//! The facts about a module that lowering needs before its functions: which functions a kernel
//! reaches, and where variables lie (PTX ISA 5.1, 5.4).

pub(super) mod initial;
pub(super) mod layout;
pub(super) mod placement;
pub(super) mod reach;
pub(super) mod shared;
pub(super) mod symbols;
