//! The types of the elements of matrices (PTX ISA 9.7.14.2), and floats in the form for the sum of
//! products.

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    E4m3,
    E5m2,
    E3m2,
    E2m3,
    E2m1,
    S8,
    U8,
    S4,
    U4,
    B1,
    S32,
}

impl Format {
    /// The type of a modifier.
    pub(super) fn from_modifier(modifier: &str) -> Option<Format> {
        Some(match modifier {
            "f16" => Format::F16,
            "bf16" => Format::Bf16,
            "tf32" => Format::Tf32,
            "f32" => Format::F32,
            "f64" => Format::F64,
            "e4m3" => Format::E4m3,
            "e5m2" => Format::E5m2,
            "e3m2" => Format::E3m2,
            "e2m3" => Format::E2m3,
            "e2m1" => Format::E2m1,
            "s8" => Format::S8,
            "u8" => Format::U8,
            "s4" => Format::S4,
            "u4" => Format::U4,
            "b1" => Format::B1,
            "s32" => Format::S32,
            _ => return None,
        })
    }

    /// Bits of an element in a register, and in memory.
    pub(super) fn bits(self) -> usize {
        match self {
            Format::F64 => 64,
            Format::F32 | Format::Tf32 | Format::S32 => 32,
            Format::F16 | Format::Bf16 => 16,
            Format::E4m3 | Format::E5m2 | Format::S8 | Format::U8 => 8,
            // `.kind::f8f6f4` has them in containers of 8 bits.
            Format::E3m2 | Format::E2m3 | Format::E2m1 => 8,
            Format::S4 | Format::U4 => 4,
            Format::B1 => 1,
        }
    }

    /// The integer format, if it is an integer.
    pub(super) fn integer(self) -> Option<Integer> {
        let integer = |signed| Some(Integer { signed, bits: self.bits() as u32 });
        match self {
            Format::S8 | Format::S4 | Format::S32 => integer(true),
            Format::U8 | Format::U4 | Format::B1 => integer(false),
            Format::F16
            | Format::Bf16
            | Format::Tf32
            | Format::F32
            | Format::F64
            | Format::E4m3
            | Format::E5m2
            | Format::E3m2
            | Format::E2m3
            | Format::E2m1 => None,
        }
    }

    /// The float format, if it is a float of up to 32 bits.
    pub(super) fn float(self) -> Option<FloatFormat> {
        let format =
            |exponent, fraction, top| FloatFormat { exponent, fraction, top, ..FloatFormat::F16 };
        // Hardware converts them to f16 first, where their subnormals are normal numbers.
        let small = |format: FloatFormat| FloatFormat { normalised: true, ..format };
        Some(match self {
            Format::F16 => FloatFormat::F16,
            Format::Bf16 => format(8, 7, Top::Infinite),
            // The low bits of the register are ignored.
            Format::Tf32 => FloatFormat { skipped: 13, ..format(8, 10, Top::Infinite) },
            Format::F32 => FloatFormat::F32,
            Format::E5m2 => format(5, 2, Top::Infinite),
            Format::E4m3 => small(format(4, 3, Top::OneNan)),
            Format::E3m2 => small(format(3, 2, Top::Number)),
            Format::E2m3 => small(format(2, 3, Top::Number)),
            // In the middle of its container.
            Format::E2m1 => FloatFormat { skipped: 2, ..small(format(2, 1, Top::Number)) },
            Format::F64
            | Format::S8
            | Format::U8
            | Format::S4
            | Format::U4
            | Format::B1
            | Format::S32 => return None,
        })
    }
}

/// An integer of some bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Integer {
    signed: bool,
    bits: u32,
}

impl Integer {
    /// The number of its bits; those above are zero.
    pub(super) fn number(self, bits: u64) -> i64 {
        let above = 64 - self.bits;
        if self.signed { (bits as i64) << above >> above } else { bits as i64 }
    }
}

/// The meaning of the greatest exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Top {
    /// Infinity, or NaN.
    Infinite,
    /// Numbers, except that all ones are NaN.
    OneNan,
    /// Numbers.
    Number,
}

/// How the bits of a float are divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FloatFormat {
    exponent: u32,
    fraction: u32,
    /// Bits below the number's own.
    skipped: u32,
    top: Top,
    /// A subnormal number counts with its exponent as a normal one.
    normalised: bool,
}

impl FloatFormat {
    /// The IEEE 754 format of 16 bits.
    pub(super) const F16: FloatFormat = FloatFormat {
        exponent: 5,
        fraction: 10,
        skipped: 0,
        top: Top::Infinite,
        normalised: false,
    };
    /// The IEEE 754 format of 32 bits.
    pub(super) const F32: FloatFormat = FloatFormat {
        exponent: 8,
        fraction: 23,
        skipped: 0,
        top: Top::Infinite,
        normalised: false,
    };

    /// The number of its bits.
    pub(super) fn number(&self, bits: u64) -> Float {
        let bits = bits as u32 >> self.skipped;
        let negative = bits >> (self.exponent + self.fraction) & 1 == 1;
        let field = bits >> self.fraction & ((1 << self.exponent) - 1);
        let fraction = bits & ((1 << self.fraction) - 1);
        let ones = field == (1 << self.exponent) - 1;
        let is_nan = match self.top {
            Top::Infinite => ones && fraction != 0,
            Top::OneNan => ones && fraction == (1 << self.fraction) - 1,
            Top::Number => false,
        };
        if is_nan {
            return Float::Nan;
        }
        if ones && self.top == Top::Infinite {
            return Float::Infinite { negative };
        }
        let bias = (1 << (self.exponent - 1)) - 1;
        let hidden = if field == 0 { 0 } else { 1 << self.fraction };
        let mut significand = (fraction | hidden) << (FRACTION - self.fraction);
        let mut exponent = field.max(1) as i32 - bias;
        if self.normalised && significand != 0 {
            let up = (significand << (31 - FRACTION)).leading_zeros();
            significand <<= up;
            exponent -= up as i32;
        }
        Float::Finite { negative, exponent, significand }
    }
}

/// Bits of a significand behind its point, whatever the type.
pub(super) const FRACTION: u32 = 23;

/// A float in the form for the sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Float {
    /// `significand * 2^(exponent - 23)`. The significand of a subnormal number begins with zeros.
    Finite {
        negative: bool,
        exponent: i32,
        significand: u32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

impl Float {
    /// The same number with its exponent as a normal one.
    pub(super) fn normalised(self) -> Float {
        match self {
            Float::Finite { negative, exponent, significand } if significand != 0 => {
                let up = (significand << (31 - FRACTION)).leading_zeros();
                let (significand, exponent) = (significand << up, exponent - up as i32);
                Float::Finite { negative, exponent, significand }
            }
            Float::Finite { .. } | Float::Infinite { .. } | Float::Nan => self,
        }
    }

    /// A number that fits into f32, as f32.
    pub(super) fn single(self) -> f32 {
        match self {
            Float::Finite { negative, exponent, significand } => {
                let scale = f64::from(exponent - FRACTION as i32).exp2();
                let size = (f64::from(significand) * scale) as f32;
                if negative { -size } else { size }
            }
            Float::Infinite { negative: true } => f32::NEG_INFINITY,
            Float::Infinite { negative: false } => f32::INFINITY,
            Float::Nan => f32::NAN,
        }
    }
}
