use proptest::prelude::*;

use super::*;

#[test]
fn names_and_types_of_ptx_lead_back_to_the_type_and_agree_in_size() {
    for ty in ElementType::ALL {
        let of_ptx = Type::from(ty);
        assert_eq!(ty.to_string().parse(), Ok(ty));
        assert_eq!(ElementType::try_from(of_ptx), Ok(ty));
        assert_eq!(of_ptx.bytes(), Some(ty.size() as u32), "{ty}");
        assert_eq!(ty.is_float(), ty.name().contains('f'));
    }
    assert_eq!(ElementType::try_from(Type::B16), Ok(ElementType::U16));
    assert_eq!(ElementType::try_from(Type::F16x2), Err(NotANumber { ty: Type::F16x2 }));
    let unknown = "i32".parse::<ElementType>().map_err(|error| error.to_string());
    let expected = "`i32` is not a type; there are u8, s8, u16, s16, u32, s32, u64, s64, f16, \
                    bf16, f32, f64";
    assert_eq!(unknown, Err(expected.to_owned()));
}

#[test]
fn integers_and_their_bits_lead_to_each_other_at_the_ends_of_their_types() {
    for (name, low, high) in [
        ("u8", 0, 255),
        ("s8", -128, 127),
        ("u16", 0, 65_535),
        ("s16", -32_768, 32_767),
        ("u32", 0, u32::MAX.into()),
        ("s32", i32::MIN.into(), i32::MAX.into()),
        ("u64", 0, u64::MAX.into()),
        ("s64", i64::MIN.into(), i64::MAX.into()),
    ] {
        let ty: ElementType = name.parse().unwrap();
        assert_eq!(ty.integer_range(), Some((low, high)));
        for value in [low, low + 1, -1, 0, 1, high - 1, high] {
            let bits = ty.integer_bits(value);
            assert_eq!(bits.is_some(), value >= low, "{ty} {value}");
            assert_eq!(bits.and_then(|bits| ty.integer(bits)), bits.map(|_| value), "{ty}");
        }
        assert_eq!((ty.integer_bits(low - 1), ty.integer_bits(high + 1)), (None, None));
    }
}

#[test]
fn numbers_are_little_endian_in_memory() {
    let bytes = [1, 0, 0xfe, 0xff, 7];
    let numbers: Vec<u64> = ElementType::I16.numbers(&bytes).collect();
    assert_eq!(numbers, [1, 0xfffe]);
    assert_eq!(ElementType::I16.bytes(0xfffe).collect::<Vec<u8>>(), [0xfe, 0xff]);
    assert_eq!(ElementType::I16.integer(0xfffe), Some(-2));
}

#[test]
fn floats_become_infinite_where_the_largest_is_nearer_than_half_a_step() {
    assert_eq!(ElementType::F16.of_finite_float(65519.0), Some(0x7bff));
    assert_eq!(ElementType::F16.of_finite_float(65520.0), None);
    assert_eq!(ElementType::F16.of_finite_float(f64::INFINITY), Some(0x7c00));
    assert_eq!(ElementType::Bf16.float(0x3f80), 1.0);
    assert_eq!(ElementType::F32.of_float(0.1), 0x3dcc_cccd);
    assert_eq!(ElementType::I8.of_float(-1.0), 0xff);
    assert_eq!(ElementType::I8.float(0xff), -1.0);
    assert_eq!(ElementType::U8.float(0xff), 255.0);
}

#[test]
fn a_double_is_rounded_once_also_where_an_f32_lies_between() {
    // Half a step above 1, and so little more that an f32 does not hold it.
    let above = |step: f64| 1.0 + step / 2.0 + 2f64.powi(-40);
    assert_eq!(ElementType::F16.of_float(above(2f64.powi(-10))), 0x3c01);
    assert_eq!(ElementType::Bf16.of_float(above(2f64.powi(-7))), 0x3f81);
    assert_eq!(ElementType::F16.of_float(1.0 + 2f64.powi(-11)), 0x3c00);
    assert_eq!(ElementType::Bf16.of_float(1.0 + 2f64.powi(-8)), 0x3f80);
}

#[test]
fn a_text_that_is_no_number_of_the_type_is_an_error_that_says_why() {
    for (ty, text, words) in [
        (ElementType::U8, "256", "`256` does not fit u8, which holds 0 to 255"),
        (ElementType::I8, "-129", "`-129` does not fit s8, which holds -128 to 127"),
        (ElementType::F16, "65520", "`65520` does not fit f16, which holds -65504 to 65504"),
        (ElementType::U8, "1.5", "`1.5` is not a u8"),
        (ElementType::I32, "x", "`x` is not an s32"),
        (ElementType::Bf16, "+1", "`+1` is not a bf16"),
        (ElementType::F32, "1e-60", "`1e-60` is too small for f32: it would become zero"),
        (ElementType::F32, "0x1000001", "`0x1000001` has more digits than f32 can hold exactly"),
        (
            ElementType::F32,
            "0d3ff0000000000000",
            "`0d3ff0000000000000` is not an f32: exact bits are 0f and 8 digits for f32, 0d and 16 \
             for f64",
        ),
    ] {
        let found = ty.parse(text).map_err(|error| error.to_string());
        assert_eq!(found, Err(words.to_owned()));
    }
}

#[test]
fn floats_print_the_shortest_decimal_of_their_own_type() {
    for (ty, bits, text) in [
        (ElementType::F32, u64::from(0.1f32.to_bits()), "0.1"),
        (ElementType::F32, u64::from(16_777_216f32.to_bits()), "16777216.0"),
        (ElementType::F32, 0x7f7f_ffff, "3.4028235e38"),
        (ElementType::F64, 0.1f64.to_bits(), "0.1"),
        (ElementType::F64, (-0.0f64).to_bits(), "-0.0"),
        // f16: 0x2e66 is 0.0999755859375; bf16: 0x3dcd is 0.10009765625.
        (ElementType::F16, 0x2e66, "0.1"),
        (ElementType::Bf16, 0x3dcd, "0.1"),
        (ElementType::F16, 1, "6e-8"),
        (ElementType::F16, 0xfc00, "-inf"),
        (ElementType::F32, 0x7f80_0000, "inf"),
        (ElementType::F32, 0xffc0_0000, "nan"),
    ] {
        assert_eq!(ty.text(bits), text);
    }
}

#[test]
fn every_16_bit_float_reads_back_from_its_text() {
    for ty in [ElementType::F16, ElementType::Bf16] {
        for bits in 0..=0xffffu64 {
            let text = ty.text(bits);
            match ty.float(bits).is_nan() {
                true => assert_eq!(text, "nan"),
                false => assert_eq!(ty.parse(&text), Ok(bits), "{text} {bits:#x}"),
            }
        }
    }
}

/// Digits of a decimal, without its sign, point, exponent and outer zeros.
fn digits(text: &str) -> usize {
    let mantissa = text.split('e').next().unwrap().replace(['.', '-'], "");
    mantissa.trim_matches('0').len()
}

#[test]
fn no_decimal_of_fewer_digits_reads_back_as_the_same_16_bit_float() {
    for ty in [ElementType::F16, ElementType::Bf16] {
        for bits in (1..0x7fff).filter(|b| ty.float(*b).is_finite()) {
            let value = ty.float(bits);
            for fewer in 1..digits(&ty.text(bits)) {
                let exponent = value.log10().floor() as i32 - fewer as i32 + 1;
                let nearest = (value / 10f64.powi(exponent)).round() as i64;
                for mantissa in nearest - 2..=nearest + 2 {
                    let text = format!("{mantissa}e{exponent}");
                    assert_ne!(ty.parse(&text), Ok(bits), "{text} {ty} {bits:#x}");
                }
            }
        }
    }
}

fn integers() -> impl Strategy<Value = ElementType> {
    let integers = ElementType::ALL.into_iter().filter(|ty| !ty.is_float());
    proptest::sample::select(integers.collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn an_integer_is_kept_exactly_or_refused(ty in integers(), value in any::<i128>(), shift in 0..120u32) {
        let value = value >> shift;
        let bits = ty.size() as u32 * 8;
        let (low, high) = match ty.name().starts_with('s') {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        match ty.parse(&value.to_string()) {
            Ok(parsed) => {
                prop_assert!(low <= value && value <= high);
                prop_assert_eq!(ty.integer(parsed), Some(value));
                prop_assert_eq!(ty.text(parsed), value.to_string());
            }
            Err(_) => prop_assert!(value < low || value > high),
        }
    }

    #[test]
    fn a_finite_float_reads_back_from_its_text(bits in any::<u64>(), double in any::<bool>()) {
        let ty = if double { ElementType::F64 } else { ElementType::F32 };
        let bits = bits & ty.mask();
        prop_assume!(ty.float(bits).is_finite());
        let text = ty.text(bits);
        prop_assert_eq!(ty.parse(&text), Ok(bits));
        let same_as_rust = match double {
            true => text.parse::<f64>().unwrap().to_bits(),
            false => u64::from(text.parse::<f32>().unwrap().to_bits()),
        };
        prop_assert_eq!(same_as_rust, bits);
    }

    #[test]
    fn decimals_round_as_the_standard_library_rounds(digits in "[0-9]{1,25}(\\.[0-9]{0,25})?", exponent in -60..40i32) {
        let text = format!("{digits}e{exponent}");
        let expected: f32 = text.parse().unwrap();
        match ElementType::F32.parse(&text) {
            Ok(bits) => prop_assert_eq!(bits as u32, expected.to_bits()),
            Err(_) => prop_assert!(expected.is_infinite() || expected == 0.0),
        }
    }

    #[test]
    fn a_double_and_its_decimal_round_to_the_same_16_bit_float(mantissa in -1.0f64..1.0, exponent in -30..17i32) {
        let value = mantissa * 2f64.powi(exponent);
        for ty in [ElementType::F16, ElementType::Bf16] {
            if let Ok(bits) = ty.parse(&format!("{value:?}")) {
                prop_assert_eq!(ty.of_float(value), bits);
            }
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,40}", near in "-?(0x|0f|0d|nan|inf)?[-0-9a-f.,e:]{0,40}") {
        for ty in ElementType::ALL {
            let _ = (ty.parse(&text), ty.parse(&near));
        }
    }
}
