//! Lays out a module's variables before it is loaded (PTX ISA 5.4): sizes, alignments and initial
//! bytes.
//!
//! The host allocates each `.global` variable separately. `.const` variables share one bank.
//! Functions get addresses that are not memory. [`Layout::placement`] turns that into the
//! [`Placement`] for lowering. [`VariableLayout::bytes`] gives the initial bytes with the addresses
//! of symbols filled in.

use std::collections::HashMap;
use std::sync::Arc;

use crate::lower::error::{LowerError, LowerErrorKind};
use crate::lower::module::initial::{Relocation, initial_bytes};
use crate::lower::module::placement::{Placement, window};
use crate::lower::module::symbols::Symbols;
use crate::ptx::{Function, Item, Linkage, Module, Space, Span, Type, Variable};

/// The most bytes of constant memory of a module (PTX ISA 5.1.3).
pub const CONSTANT_BYTES: u64 = 64 * 1024;

/// The most bytes of a single variable: a larger declaration is a mistake.
const LARGEST: u64 = 1 << 40;

/// Distance of function addresses.
const CODE_STEP: u64 = 16;

/// The `.global` and `.const` variables and the functions of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The variables, in the order of the text.
    pub variables: Vec<VariableLayout>,
    /// The defined functions except kernels, in the order of the text.
    pub functions: Vec<Arc<str>>,
    /// The defined kernels. They have addresses, but cannot be called there.
    pub kernels: Vec<Arc<str>>,
    /// Bytes of all `.const` variables.
    pub constant_bytes: u64,
}

/// A `.global` or `.const` variable.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableLayout {
    /// Its name.
    pub name: Arc<str>,
    /// [`Space::Global`] or [`Space::Const`].
    pub space: Space,
    /// The element type.
    pub ty: Type,
    /// Its size in bytes; at least 1.
    pub size: u64,
    /// Its alignment in bytes, a power of two.
    pub align: u64,
    /// Its offset in constant memory; 0 for a `.global` variable.
    pub offset: u64,
    /// Whether it has an initialiser. Without one it starts as zeros (PTX ISA 5.4.4).
    pub initialised: bool,
    /// The first bytes; the rest of `size` is zero. They are zero at a relocation.
    pub initial: Vec<u8>,
    /// Addresses of symbols in the initialiser.
    pub relocations: Vec<Relocation>,
    /// The declaration.
    pub span: Span,
}

impl Layout {
    /// Places the variables: `allocate` returns the address of a `.global` variable.
    pub fn placement<E>(
        &self,
        mut allocate: impl FnMut(&VariableLayout) -> Result<u64, E>,
    ) -> Result<Placement, E> {
        let mut placement = Placement::default();
        for variable in &self.variables {
            let name = Arc::clone(&variable.name);
            if variable.space == Space::Const {
                placement.constants.insert(name, variable.offset);
            } else {
                placement.globals.insert(name, allocate(variable)?);
            }
        }
        for (i, name) in self.functions.iter().chain(&self.kernels).enumerate() {
            let address = window::CODE + CODE_STEP * (i as u64 + 1);
            placement.functions.insert(Arc::clone(name), address);
        }
        Ok(placement)
    }
}

/// Lays out the `.global` and `.const` variables of a module and of its functions. Declarations
/// (`.extern`) without a definition in the module are left out. Lowering refuses a kernel that uses
/// one.
///
/// # Examples
///
/// ```
/// let text = ".version 7.0\n.target sm_80\n.address_size 64\n\
///             .global .align 4 .u32 table[2] = {1, 2};\n.const .f64 c;\n";
/// let layout = warpsim::lower::place(&warpsim::ptx::parse("m.ptx", text)?)?;
/// assert_eq!(layout.variables[0].initial, [1, 0, 0, 0, 2, 0, 0, 0]);
/// assert_eq!((layout.variables[1].size, layout.constant_bytes), (8, 8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Invalid sizes, alignments and initialisers; more constant memory than there is.
pub fn place(module: &Module) -> Result<Layout, LowerError> {
    place_items(module).map_err(|e| e.in_source(&module.source))
}

fn place_items(module: &Module) -> Result<Layout, LowerError> {
    let symbols = Symbols::new(module)?;
    let mut layout = Layout {
        variables: Vec::new(),
        functions: Vec::new(),
        kernels: Vec::new(),
        constant_bytes: 0,
    };
    for item in &module.items {
        match item {
            Item::Function(f) => {
                if f.body.is_some() {
                    let list = if f.is_entry { &mut layout.kernels } else { &mut layout.functions };
                    list.push(Arc::clone(&f.name.text));
                }
                for (name, variable) in inner_variables(f) {
                    layout.add_named(variable, &symbols, std::iter::once(name))?;
                }
            }
            Item::Variable(v) if matches!(v.space, Space::Global | Space::Const) => {
                layout.add(v, &symbols)?;
            }
            // Variables in a function's own memory, or without memory, do not belong to the module.
            Item::Variable(_)
            | Item::File(_)
            | Item::Section(_)
            | Item::Pragma(_)
            | Item::Alias(..) => {}
        }
    }
    Ok(layout)
}

impl Layout {
    fn add(&mut self, variable: &Variable, symbols: &Symbols<'_>) -> Result<(), LowerError> {
        let chosen = symbols.variable(&variable.name.text);
        if variable.linkage == Some(Linkage::Extern)
            || chosen.is_some_and(|chosen| !std::ptr::eq(chosen, variable))
        {
            return Ok(());
        }
        self.add_named(variable, symbols, variable.names())
    }

    fn add_named(
        &mut self,
        variable: &Variable,
        symbols: &Symbols<'_>,
        names: impl Iterator<Item = Arc<str>>,
    ) -> Result<(), LowerError> {
        let shape = Shape::of(variable)?;
        let (initial, relocations) = initial_bytes(variable, &shape, symbols)?;
        for name in names {
            let mut offset = 0;
            if variable.space == Space::Const {
                offset = self.constant_bytes.next_multiple_of(shape.align);
                self.constant_bytes = offset + shape.size;
                if self.constant_bytes > CONSTANT_BYTES {
                    let reason = format!("more than {CONSTANT_BYTES} bytes of constant memory");
                    return Err(wrong(variable, reason));
                }
            }
            self.variables.push(VariableLayout {
                name,
                space: variable.space,
                ty: variable.ty,
                size: shape.size.max(1),
                align: shape.align,
                offset,
                initialised: variable.init.is_some(),
                initial: initial.clone(),
                relocations: relocations.clone(),
                span: variable.span,
            });
        }
        Ok(())
    }
}

impl VariableLayout {
    /// The initial bytes with the addresses of symbols filled in; shorter than `size` where zeros
    /// follow.
    ///
    /// # Errors
    ///
    /// A symbol without an address.
    pub fn bytes(&self, placement: &Placement) -> Result<Vec<u8>, LowerError> {
        let mut bytes = self.initial.clone();
        for relocation in &self.relocations {
            relocation.apply(&mut bytes, placement)?;
        }
        Ok(bytes)
    }
}

/// The `.global` and `.const` variables that the body of a function declares, in the order of the
/// text. Each has the name by which the module knows it: `FUNCTION.NAME`, and `FUNCTION.NAME.N` for
/// the same name in later scopes. No identifier has a dot.
pub(in crate::lower) fn inner_variables(function: &Function) -> Vec<(Arc<str>, &Variable)> {
    let mut seen: HashMap<Arc<str>, usize> = HashMap::new();
    let mut named = Vec::new();
    let of_module = |v: &&Variable| matches!(v.space, Space::Global | Space::Const);
    for variable in function.variables().filter(of_module) {
        for name in variable.names() {
            let before = seen.entry(Arc::clone(&name)).or_default();
            let function = &function.name.text;
            let whole = match *before {
                0 => format!("{function}.{name}"),
                n => format!("{function}.{name}.{n}"),
            };
            *before += 1;
            named.push((whole.into(), variable));
        }
    }
    named
}

/// Size and alignment of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) struct Shape {
    /// Bytes of an element of the element type.
    pub(in crate::lower) element: u64,
    /// Array dimensions and the vector, outermost first; an empty `[]` is filled in from the
    /// initialiser.
    pub(in crate::lower) dims: Vec<u64>,
    /// All bytes; 0 for `x[]` without an initialiser.
    pub(in crate::lower) size: u64,
    /// A power of two.
    pub(in crate::lower) align: u64,
}

impl Shape {
    /// The shape of a variable.
    ///
    /// # Errors
    ///
    /// A type without a size, an alignment that is no power of two, an excessive size.
    pub(in crate::lower) fn of(variable: &Variable) -> Result<Shape, LowerError> {
        let element = variable.ty.bytes().map(u64::from);
        let element =
            element.ok_or_else(|| wrong(variable, "predicates are not kept in memory".into()))?;
        let mut dims = Vec::new();
        for (i, dim) in variable.dims.iter().enumerate() {
            dims.push(match (dim, &variable.init) {
                (Some(n), _) => *n,
                (None, Some(crate::ptx::Initializer::List(list, _))) if i == 0 => list.len() as u64,
                (None, _) if i == 0 => 0,
                (None, _) => {
                    return Err(wrong(variable, "only the first dimension may be empty".into()));
                }
            });
        }
        if variable.vector > 1 {
            dims.push(variable.vector.into());
        }
        let size = dims.iter().try_fold(element, |size, n| size.checked_mul(*n));
        let size = size.filter(|size| *size <= LARGEST);
        let size = size.ok_or_else(|| wrong(variable, "it is too large".into()))?;
        let natural = element * u64::from(variable.vector.max(1));
        let align = variable.align.map_or(natural.next_power_of_two(), u64::from);
        if !align.is_power_of_two() {
            return Err(wrong(variable, format!("its alignment {align} is no power of two")));
        }
        Ok(Shape { element, dims, size, align })
    }
}

/// An error about a variable.
pub(in crate::lower) fn wrong(variable: &Variable, reason: String) -> LowerError {
    let name = variable.name.text.to_string();
    LowerError::at(LowerErrorKind::Variable { name, reason }, variable.name.span)
}

/// Offsets of aligned items, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::lower) struct Packing {
    /// One past the last byte.
    pub(in crate::lower) end: u64,
}

impl Packing {
    /// The offset of the next item.
    pub(in crate::lower) fn add(&mut self, size: u64, align: u64) -> u64 {
        let offset = self.end.next_multiple_of(align.max(1));
        self.end = offset.saturating_add(size);
        offset
    }
}

/// The kernels of a module, in the order of the text.
///
/// ```
/// let text = ".version 7.0\n.target sm_80\n.address_size 64\n.entry b() { ret; }\n.entry a() { ret; }";
/// assert_eq!(warpsim::lower::kernels(&warpsim::ptx::parse("m.ptx", text)?), ["b", "a"]);
/// # Ok::<(), warpsim::ptx::SyntaxError>(())
/// ```
pub fn kernels(module: &Module) -> Vec<&str> {
    let kernels = module.functions().filter(|f| f.is_entry && f.body.is_some());
    kernels.map(|f| &*f.name.text).collect()
}
