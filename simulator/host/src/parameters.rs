//! A kernel's parameters as host code sees them (PTX ISA 5.1.6.1, 5.4.1 and 7.1).
//!
//! A parameter is an element type, or an array of bytes for a struct passed by value. A launch has
//! to provide its size and alignment. Nothing here says whether an integer of 64 bits is a pointer:
//! PTX does not say it, except by `.ptr`.

use super::error::DeviceError;
use crate::lower::kernels;
use crate::names;
use crate::ptx::{self, Item, Linkage, Module, Space, Type};

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the PTX text.
    pub name: String,
    /// The type, or the element type of an array.
    pub ty: Type,
    /// Bytes, of the whole parameter.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// An array: a struct passed by value.
    pub is_array: bool,
}

/// The parameters of a kernel, in order.
///
/// # Errors
/// [`DeviceError::UnknownKernel`] when the module does not define it; see [`kernel_named`].
pub fn kernel_parameters(module: &Module, kernel: &str) -> Result<Vec<Parameter>, DeviceError> {
    let name = kernel_named(module, kernel)?;
    let entry = entries(module).find(|entry| &*entry.name.text == name);
    Ok(entry.into_iter().flat_map(|entry| entry.params.iter().map(parameter)).collect())
}

/// The name in the PTX of the kernel with this name, which may be its name there or in its source,
/// as [`names::called`] has it.
///
/// ```
/// let text = ".version 7.0 .target sm_80 .address_size 64
///     .entry _Z7reduce4IiLj256EEvPT_(.param .u64 p) { ret; }
///     .entry _Z7reduce4IfLj256EEvPT_(.param .u64 p) { ret; }";
/// let module = warpsim::ptx::parse("m.ptx", text)?;
/// let name = warpsim::host::kernel_named(&module, "reduce4<int, 256>")?;
/// assert_eq!(name, "_Z7reduce4IiLj256EEvPT_");
/// let error = warpsim::host::kernel_named(&module, "reduce4").unwrap_err();
/// assert!(error.to_string().starts_with("several kernels have the name `reduce4`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DeviceError::UnknownKernel`] when none is called so, or several are.
pub fn kernel_named<'a>(module: &'a Module, wanted: &str) -> Result<&'a str, DeviceError> {
    let available = kernels(module);
    match names::called(wanted, available.iter().copied()).as_slice() {
        [only] => Ok(only),
        _ => Err(DeviceError::UnknownKernel {
            name: wanted.to_owned(),
            available: available.into_iter().map(str::to_owned).collect(),
        }),
    }
}

/// The name in the PTX of the `.global` or `.const` variable with this name, which may be its name
/// there or in its source.
///
/// ```
/// let text = ".version 7.0 .target sm_80 .address_size 64
///     .global .u32 _ZN5first5tableE; .global .u32 _ZN6second5tableE; .const .u32 _ZL4size;";
/// let module = warpsim::ptx::parse("m.ptx", text)?;
/// let name = warpsim::host::variable_named(&module, "first::table")?;
/// assert_eq!(name, "_ZN5first5tableE");
/// assert_eq!(warpsim::host::variable_named(&module, "size")?, "_ZL4size");
/// let error = warpsim::host::variable_named(&module, "table").unwrap_err();
/// assert!(error.to_string().starts_with("several variables have the name `table`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DeviceError::UnknownVariable`] when none is called so, or several are.
pub fn variable_named<'a>(module: &'a Module, wanted: &str) -> Result<&'a str, DeviceError> {
    let has_place = |v: &&ptx::Variable| {
        matches!(v.space, Space::Global | Space::Const) && v.linkage != Some(Linkage::Extern)
    };
    let variables = module.items.iter().filter_map(|item| match item {
        Item::Variable(variable) => Some(variable),
        Item::Function(_)
        | Item::File(_)
        | Item::Section(_)
        | Item::Pragma(_)
        | Item::Alias(..) => None,
    });
    let available: Vec<&str> = variables.filter(has_place).map(|v| &*v.name.text).collect();
    match names::called(wanted, available.iter().copied()).as_slice() {
        [only] => Ok(only),
        [] | [_, _, ..] => Err(DeviceError::UnknownVariable {
            name: wanted.to_owned(),
            available: available.into_iter().map(str::to_owned).collect(),
        }),
    }
}

fn entries(module: &Module) -> impl Iterator<Item = &ptx::Function> {
    module.functions().filter(|f| f.is_entry && f.body.is_some())
}

fn parameter(p: &ptx::Parameter) -> Parameter {
    // A predicate is no parameter of a kernel; messages show a byte instead.
    let element = u64::from(p.ty.bytes().unwrap_or(1));
    let count = p.array.map_or(1, |length| length.unwrap_or(0));
    Parameter {
        name: p.name.text.to_string(),
        ty: p.ty,
        size: count.saturating_mul(element),
        align: p.align.unwrap_or(element as u32),
        is_array: p.array.is_some(),
    }
}
