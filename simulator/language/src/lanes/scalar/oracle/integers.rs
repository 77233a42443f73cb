//! Integer functions (PTX ISA 9.7.1, 9.7.9.7), by the rules in [`crate::lanes::scalar::integers`],
//! with the host's division and with bytes.

/// `div` and `rem` of a type.
macro_rules! divisions {
    ($($div:ident $rem:ident $ty:ty;)*) => {
        $(
            pub(super) fn $div(a: $ty, b: $ty) -> $ty {
                if b == 0 { !0 } else { a.wrapping_div(b) }
            }
            pub(super) fn $rem(a: $ty, b: $ty) -> $ty {
                if b == 0 { !0 } else { a.wrapping_rem(b) }
            }
        )*
    };
}

divisions! {
    div_u16 rem_u16 u16;
    div_s16 rem_s16 i16;
    div_u32 rem_u32 u32;
    div_s32 rem_s32 i32;
    div_u64 rem_u64 u64;
    div_s64 rem_s64 i64;
}

/// `prmt` without a mode.
pub(super) fn permute_bytes(a: u32, b: u32, selector: u32) -> u32 {
    let [a, b, selector] = [a, b, selector].map(u32::to_le_bytes);
    let bytes = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]];
    let nibbles = [selector[0] & 15, selector[0] >> 4, selector[1] & 15, selector[1] >> 4];
    u32::from_le_bytes(nibbles.map(|nibble| match (bytes[usize::from(nibble & 7)], nibble & 8) {
        (byte, 0) => byte,
        (byte, _) if byte >= 0x80 => 0xff,
        _ => 0,
    }))
}
