//! Operands: a table of 64-bit cells in global memory, a pool for each kind of number.
//!
//! Half of a pool are edges: zero, one, extremes, powers of two and their neighbours, denormals,
//! infinities, quiet and signalling NaNs with payloads, the middles between two numbers, numbers
//! near overflow. The rest is random. A thread finds its operand at the instruction's place plus
//! its own number, so that two instructions' operands meet in many combinations.

use warpsim::lanes::Role;
use warpsim::ptx::Type;

use super::draw::Draw;
use super::forms::RegisterForm;

/// A kind of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named like the types")]
pub enum Pool {
    Word16,
    Word32,
    Word64,
    /// Shift amounts, positions and lengths: up to 70, and some far above.
    Small,
    F16,
    Bf16,
    F16x2,
    Bf16x2,
    F32,
    F64,
}

/// All pools, in the order of the table.
pub const POOLS: [Pool; 10] = [
    Pool::Word16,
    Pool::Word32,
    Pool::Word64,
    Pool::Small,
    Pool::F16,
    Pool::Bf16,
    Pool::F16x2,
    Pool::Bf16x2,
    Pool::F32,
    Pool::F64,
];

/// Cells of a pool at which an instruction's place may begin.
pub const PLACES: usize = 4096;

/// Cells of a pool: its places, and as many more as a program has threads.
pub const CELLS: usize = PLACES + 1024;

/// The whole table.
pub fn table(seed: u64) -> Vec<u64> {
    let mut draw = Draw::new(&[seed, 0x7461_626c_6521]);
    POOLS.iter().flat_map(|pool| vec![*pool; CELLS]).map(|pool| pool.value(&mut draw)).collect()
}

impl Pool {
    /// Where it begins in the table, in cells.
    pub fn start(self) -> usize {
        POOLS.iter().position(|pool| *pool == self).unwrap_or_default() * CELLS
    }

    /// The pool for a source of a form.
    pub fn of(form: &RegisterForm, role: Role, ty: Type, draw: &mut Draw) -> Pool {
        // For an offset of -2^31 an H200 gives 0 for `fns`, which the simulator does not.
        if form.opcode() == "fns" && matches!(role, Role::C(_)) {
            return Pool::Word16;
        }
        if is_count(form, role) && draw.percent(80) {
            return Pool::Small;
        }
        match ty {
            Type::B8 | Type::U8 | Type::S8 | Type::B16 | Type::U16 | Type::S16 => Pool::Word16,
            Type::F16 => Pool::F16,
            Type::Bf16 => Pool::Bf16,
            Type::F16x2 => Pool::F16x2,
            Type::Bf16x2 => Pool::Bf16x2,
            Type::F32 => Pool::F32,
            Type::F64 => Pool::F64,
            Type::B64 | Type::U64 | Type::S64 => Pool::Word64,
            _ => Pool::Word32,
        }
    }

    /// A number of the pool.
    pub fn value(self, draw: &mut Draw) -> u64 {
        match self {
            Pool::Word16 => integer(draw, 16),
            Pool::Word32 => integer(draw, 32),
            Pool::Word64 => integer(draw, 64),
            Pool::Small => small(draw),
            Pool::F16 => float(draw, 5, 10),
            Pool::Bf16 => float(draw, 8, 7),
            Pool::F16x2 => float(draw, 5, 10) | float(draw, 5, 10) << 16,
            Pool::Bf16x2 => float(draw, 8, 7) | float(draw, 8, 7) << 16,
            Pool::F32 => float(draw, 8, 23),
            Pool::F64 => float(draw, 11, 52),
        }
    }
}

/// Whether a source is a shift amount, a position or a length.
fn is_count(form: &RegisterForm, role: Role) -> bool {
    match form.opcode() {
        "shl" | "shr" | "bmsk" | "szext" => matches!(role, Role::B(_)),
        "bfe" | "fns" => matches!(role, Role::B(_) | Role::C(_)),
        "shf" | "prmt" => matches!(role, Role::C(_)),
        "bfi" => matches!(role, Role::C(_) | Role::E(_)),
        _ => false,
    }
}

/// Whether PTX takes a number for a source whose type here is an integer: not as half of a pair,
/// nor where the instruction calls the type a float.
fn takes_number(form: &RegisterForm, role: Role, pool: Pool) -> bool {
    let floats = ["f32", "f64"].iter().any(|ty| form.has(ty));
    // A driver folds `slct` of the least integer, and fields that reach past the width, wrongly.
    let selects = matches!(form.opcode(), "slct" | "selp");
    let field = matches!(form.opcode(), "bfe" | "bfi") && is_count(form, role);
    let restricted = field || is_count(form, role) && pool != Pool::Small;
    let pairs = form.mnemonic().ends_with("x2");
    !(pairs || restricted || form.opcode() == "slct" || floats && selects || form.is_video())
}

fn low(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn integer(draw: &mut Draw, bits: u32) -> u64 {
    let value = match draw.below(8) {
        0 => draw.of(&[0, 1, 2, 3, u64::MAX, u64::MAX - 1]),
        1 => draw.of(&[1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << (bits - 1)) + 1]),
        2 => 1u64 << draw.below(bits as usize),
        3 => (1u64 << draw.below(bits as usize)).wrapping_add(draw.of(&[1, u64::MAX])),
        // Edges of the narrower types, for those who look at the low bits or saturate.
        4 if bits > 16 => {
            let edge = draw.of(&[0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x1_0000]);
            if draw.percent(50) { edge } else { u64::wrapping_neg(edge) }
        }
        4 => draw.of(&[0x7f, 0x80, 0xff, 0x100, 0xff80, 0xff7f]),
        5 => draw.word() >> draw.below(64),
        _ => draw.word(),
    };
    value & low(bits)
}

fn small(draw: &mut Draw) -> u64 {
    match draw.below(8) {
        0 => draw.of(&[0, 1, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256]),
        1 => draw.of(&[0xffff_ffff, 0x8000_0000, 0x7fff_ffff, 0x1_00ff, 0xffff_ff00]),
        _ => draw.below(70) as u64,
    }
}

/// A float of this many bits of exponent and fraction.
fn float(draw: &mut Draw, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let (most, bias) = (low(exponent_bits), low(exponent_bits - 1));
    let exponent = match draw.below(8) {
        0 => 0,
        1 => draw.of(&[1, 2, most - 1, most - 2, most]),
        2 => most,
        // Around one, and where all bits of an integer are before the point.
        3 => bias - 2 + draw.below(5) as u64,
        4 => bias + draw.below(bias.min(70) as usize) as u64,
        5 => bias - draw.below(bias.min(60) as usize) as u64,
        _ => draw.word() & most,
    };
    let all = low(fraction_bits);
    let fraction = match draw.below(8) {
        0 => 0,
        1 => draw.of(&[1, all, all - 1, 1 << (fraction_bits - 1), (1 << (fraction_bits - 1)) - 1]),
        2 => 1u64 << draw.below(fraction_bits as usize),
        3 => all << draw.below(fraction_bits as usize) & all,
        4 => all >> draw.below(fraction_bits as usize),
        _ => draw.word() & all,
    };
    let sign = draw.word() & 1;
    sign << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction
}

/// A value of a type as an immediate; none where PTX has no immediates of the type.
pub fn immediate(
    form: &RegisterForm,
    role: Role,
    pool: Pool,
    ty: Type,
    draw: &mut Draw,
) -> Option<String> {
    let value = pool.value(draw);
    let nan = match ty {
        Type::F32 => f32::from_bits(value as u32).is_nan(),
        Type::F64 => f64::from_bits(value).is_nan(),
        _ => false,
    };
    if nan || !takes_number(form, role, pool) {
        return None;
    }
    Some(match ty {
        Type::F32 => format!("0f{:08X}", value as u32),
        Type::F64 => format!("0d{value:016X}"),
        // Positions and lengths are restricted to 8 bits.
        _ if pool == Pool::Small => (value & 0xff).to_string(),
        Type::U16 | Type::B16 => (value as u16).to_string(),
        Type::S16 => (value as i16).to_string(),
        Type::U32 => (value as u32).to_string(),
        Type::B32 => format!("{:#x}", value as u32),
        Type::S32 => (value as i32).to_string(),
        Type::U64 => value.to_string(),
        Type::B64 => format!("{value:#x}"),
        Type::S64 => (value as i64).to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_of_floats_has_the_awkward_ones_and_ordinary_ones() {
        let mut draw = Draw::new(&[1]);
        let values: Vec<f32> =
            (0..4000).map(|_| f32::from_bits(Pool::F32.value(&mut draw) as u32)).collect();
        let share = |is: &dyn Fn(f32) -> bool| values.iter().filter(|v| is(**v)).count();
        let signalling = |v: f32| v.is_nan() && v.to_bits() & 0x0040_0000 == 0;
        let counts = [
            share(&|v| v == 0.0),
            share(&|v| v.is_subnormal()),
            share(&|v| v.is_infinite()),
            share(&|v| v.is_nan() && !signalling(v)),
            share(&signalling),
        ];
        assert!(counts.iter().all(|count| *count > 40), "{counts:?}");
        assert!(share(&|v| v.is_normal()) > 2000);
    }

    #[test]
    fn the_table_depends_on_the_seed_alone() {
        assert_eq!(table(3), table(3));
        assert_ne!(table(3), table(4));
        assert_eq!(table(3).len(), CELLS * POOLS.len());
    }
}
