//! Operations on textures (PTX ISA 9.7.10) and surfaces (9.7.11).

use crate::lanes::Slot;
use crate::lower::operations::access::Target;

/// An operation on textures or surfaces.
#[derive(Clone, Debug)]
pub struct ImageOperation {
    /// The handle, in a 64-bit slot.
    pub handle: Slot,
    /// The number of directions of the instruction.
    pub dimensions: u32,
    /// The shape that it requires of the object.
    pub shape: Shape,
    /// The number of the layer, if there are layers.
    pub layer: Option<Slot>,
    /// The coordinates, one for each direction and three for a cube, in 32-bit slots.
    pub coordinates: Vec<Slot>,
    /// The action.
    pub action: ImageAction,
}

/// The shape of a texture or surface (PTX ISA 5.3: `.1d`, `.a1d`, `.cube`, `.acube` and so on).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One array of texels.
    Plain,
    /// Layers.
    Layered,
    /// The six faces of a cube.
    Cube,
    /// Layers, each the six faces of a cube.
    CubeLayered,
}

/// An action on a texture or a surface.
#[derive(Clone, Debug)]
pub enum ImageAction {
    /// `tex`, `tld4`.
    Sample(Sample),
    /// `txq`, `suq`: the size along a direction, into a 32-bit slot.
    Size {
        /// The destination.
        d: Slot,
        /// 0 for the width, 1 for the height, 2 for the depth.
        direction: u32,
    },
    /// The address of a surface access.
    Address {
        /// The address, in a 64-bit slot.
        d: Slot,
        /// The predicate that becomes true in lanes that have an address.
        inside: Slot,
        /// The effect of coordinates outside.
        outside: Outside,
        /// Bytes of the access.
        bytes: u32,
        /// The unit of the first coordinate.
        unit: Unit,
    },
    /// The address of a texel, and its bytes: channels of the surface's width.
    Pack {
        /// The address, in a 64-bit slot.
        d: Slot,
        /// The predicate for texels of 1, 2, 4, 8 and 16 bytes: true in lanes with the address of
        /// such a texel.
        inside: [Slot; 5],
        /// The texel's bytes, as words.
        words: [Slot; 4],
        /// The values of channels, of 32 bits each; missing ones are zero.
        values: Vec<Slot>,
        /// The effect of coordinates outside.
        outside: Outside,
    },
}

/// The unit of a surface's first coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Texels.
    Texels,
    /// Texels, but only those whose channels are signed, or are not.
    TexelsOf {
        /// Whether they are signed.
        signed: bool,
    },
}

/// A lookup of a texture.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The components of the result, in 32-bit slots; `None` for `_`. Pairs of halves have two.
    pub d: [Option<Slot>; 4],
    /// The width of the results.
    pub width: ResultWidth,
    /// The predicate that becomes true, since all texels are in memory.
    pub resident: Option<Slot>,
    /// Coordinates are integers.
    pub whole: bool,
    /// `tld4`: this component of four texels.
    pub gathers: Option<u32>,
    /// The levels to read.
    pub detail: Detail,
    /// Added to the texels' numbers, for each direction.
    pub offsets: Vec<Slot>,
    /// The target as an access to memory: its address and its size follow from the object.
    pub target: Target,
}

/// The width of the results of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultWidth {
    /// 32 bits each.
    Words,
    /// f16, each in a register.
    Halves,
    /// f16, two in a register.
    Pairs,
}

/// The levels of a texture for a lookup.
#[derive(Clone, Debug)]
pub enum Detail {
    /// The first.
    Base,
    /// `.level`: this one, a float.
    Level(Slot),
    /// `.grad`: the growth of the coordinates along two axes of a picture.
    Growth([Vec<Slot>; 2]),
}

/// The effect of a surface access outside the surface (PTX ISA 9.7.11.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outside {
    /// The launch ends.
    Trap,
    /// The nearest place is accessed.
    Clamp,
    /// Zeros are read, and nothing is written.
    Zero,
}
