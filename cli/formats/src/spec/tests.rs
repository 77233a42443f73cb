//! Specifications: exact ranges, exact bits, and the generator pinned to its description.

use proptest::prelude::*;
use warpsim::element::ElementType;
use warpsim::host::{ArgumentPlace, Parameter};
use warpsim::ptx::Type;

use super::cell::Cell;
use super::error::SpecError;
use super::{BufferSpec, Init, Shape, Spec, fill, npy, scalar, structure};

fn parameter(ty: Type, size: u64) -> Parameter {
    Parameter { name: "p".into(), ty, size, align: size as u32, is_array: false }
}

fn buffer(text: &str) -> BufferSpec {
    match Spec::parse(text) {
        Ok(Spec::Buffer(buffer)) => buffer,
        other => panic!("{text}: {other:?}"),
    }
}

fn cells(text: &str) -> Vec<String> {
    let buffer = buffer(text);
    let zeros = vec![0; buffer.bytes().unwrap() as usize];
    let bytes = fill::contents(&buffer).unwrap().unwrap_or(zeros);
    let element = buffer.element;
    element.numbers(&bytes).map(|bits| element.text(bits)).collect()
}

fn passed(ty: Type, size: u64, text: &str) -> Result<Vec<u8>, SpecError> {
    match Spec::parse(text)? {
        Spec::Scalar { element, text } => scalar::bytes_for(&parameter(ty, size), element, &text),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn every_form_of_initial_value_gives_its_cells() {
    assert_eq!(cells("s32[3]"), ["0", "0", "0"]);
    assert_eq!(cells("s32[2]=zeros"), ["0", "0"]);
    assert_eq!(cells("u8[2]=fill:255"), ["255", "255"]);
    assert_eq!(cells("s32[4]=iota"), ["0", "1", "2", "3"]);
    assert_eq!(cells("s32[3]=iota:-5"), ["-5", "-4", "-3"]);
    assert_eq!(cells("u16[3]=iota:10:-5"), ["10", "5", "0"]);
    assert_eq!(cells("f32[3]=iota:0.5:0.25"), ["0.5", "0.75", "1.0"]);
    assert_eq!(cells("f64[4]=list:nan,-inf,1e300,-0.1"), ["nan", "-inf", "1e300", "-0.1"]);
    assert_eq!(cells("f32[1]=list:0f3f800000"), ["1.0"]);
    assert_eq!(cells("s64[2]=list:-9223372036854775808,0x7fffffffffffffff").len(), 2);
    assert_eq!(cells("u64[1]=list:18446744073709551615"), ["18446744073709551615"]);
    assert_eq!(cells("f16[2]=list:65504,0.1"), ["65500.0", "0.1"]);
    assert_eq!(cells("s32[0]=list:"), [] as [&str; 0]);
}

#[test]
fn a_value_that_does_not_fit_is_an_error_and_says_the_range() {
    for text in [
        "u8[1]=fill:256",
        "s8[1]=fill:128",
        "s32[1]=fill:2147483648",
        "u32[1]=fill:-1",
        "u64[1]=fill:18446744073709551616",
        "s64[1]=fill:99999999999999999999999999999999999999999999999999",
        "f32[1]=fill:3.5e38",
        "f16[1]=fill:65520",
        "bf16[1]=fill:3.4e38",
        "f64[1]=fill:1e309",
    ] {
        let error = Spec::parse(text).unwrap_err().to_string();
        assert!(error.contains("does not fit"), "{text}: {error}");
    }
    assert!(Spec::parse("f32[1]=fill:1e-60").unwrap_err().to_string().contains("too small"));
    assert!(Spec::parse("f32[1]=fill:0x1000001").unwrap_err().to_string().contains("exactly"));
    let said = |text: &str| fill::contents(&buffer(text)).unwrap_err().to_string();
    assert_eq!(said("u8[257]=iota"), "cell 256 would be 256, which does not fit u8");
    assert_eq!(
        said("f32[3]=iota:0:1.7014118346046923e38"),
        "cell 2 would be 3.402823669209385e38, which does not fit f32"
    );
    assert!(fill::contents(&buffer("u8[256]=iota")).is_ok());
    assert!(fill::contents(&buffer("u8[2]=iota:0:-1")).is_err());
}

#[test]
fn malformed_specifications_are_errors() {
    for text in [
        "",
        "x",
        "s32[",
        "s32[4",
        "s33[4]",
        "s32[4]zeros",
        "s32[4]=",
        "s32[4]+",
        "s32[4]+=iota",
        "s32[4]+-4",
        "s32[4]=list",
        "s32[-1]",
        "s32[4]=list:1,2,3",
        "s32[4]=list:1,2,3,4,5",
        "s32[2]=list:1,",
        "s32[4]=ones",
        "bytes:",
        "bytes:0",
        "bytes:0g",
        "@",
        "@x",
        "@0+",
        "@0+-4",
        "s32:",
        "s32:1.5",
        "q:1",
        "f32:0d3ff0000000000000",
        "f32:0f3f80000",
        "s32[1]=rand",
        "s32[1]=rand:1:2",
        "s32[1]=rand:1:3:2",
        "f32[1]=rand:1:0:inf",
        "s32[1]=rand:1:1:2:3",
        "f32:1e",
        "f32:.",
        "f32:--1",
        "f32:+1",
        "s32:+1",
        "s32:0x",
        "s32:1_000",
        "s32:１",
        "f32:infinity",
    ] {
        let refused = match Spec::parse(text) {
            Ok(Spec::Scalar { element: None, text }) => {
                scalar::bytes_for(&parameter(Type::S32, 4), None, &text).is_err()
            }
            other => other.is_err(),
        };
        assert!(refused, "{text:?} was accepted");
    }
}

#[test]
fn a_buffer_says_where_its_argument_points() {
    assert_eq!(buffer("s32[4]").start, 0);
    assert_eq!(buffer("s32[4]+12").start, 12);
    assert_eq!(buffer("s32[4]+0x10=iota").start, 16);
    assert_eq!(buffer("s32[4]+4=iota").init, buffer("s32[4]=iota").init);
    assert_eq!(Spec::parse("s32[4]+17"), Err(SpecError::StartBeyond { start: 17, bytes: 16 }));
}

#[test]
fn pointers_and_bytes_are_read() {
    assert_eq!(Spec::parse("null"), Ok(Spec::Null));
    assert_eq!(Spec::parse("@2"), Ok(Spec::Alias { parameter: 2.into(), offset: 0 }));
    assert_eq!(Spec::parse("@0+128"), Ok(Spec::Alias { parameter: 0.into(), offset: 128 }));
    assert_eq!(Spec::parse("@0+0x10"), Ok(Spec::Alias { parameter: 0.into(), offset: 16 }));
    assert_eq!(Spec::parse("bytes:00fF10"), Ok(Spec::Bytes(vec![0, 255, 16])));
}

#[test]
fn a_struct_is_its_fields_by_offset() {
    let fields = |text: &str| match Spec::parse(text) {
        Ok(Spec::Struct(fields)) => fields,
        other => panic!("{text}: {other:?}"),
    };
    let text = "{ 0x10:@1.8+4,0 : s32[2]=list:1, 8: null , 24:bytes:00ff,32:u64:7}";
    let parsed = fields(&text.replace("list:1, 8", "list:1,2, 8"));
    let offsets: Vec<u64> = parsed.iter().map(|(offset, _)| *offset).collect();
    assert_eq!(offsets, [0, 8, 16, 24, 32]);
    assert_eq!(parsed[0].1, Spec::parse("s32[2]=list:1,2").unwrap());
    let field = ArgumentPlace { argument: 1, offset: Some(8) };
    assert_eq!(parsed[2].1, Spec::Alias { parameter: field, offset: 4 });
    assert_eq!(fields("{}"), []);
    assert_eq!(fields("{ }"), []);
    for text in [
        "{",
        "{0}",
        "{0:}",
        "{:null}",
        "{-1: null}",
        "{0: null,}",
        "{0: 5}",
        "{0: {}}",
        "{0: null}x",
    ] {
        assert!(Spec::parse(text).is_err(), "{text}");
    }
}

#[test]
fn fields_lie_beside_each_other_inside_the_struct() {
    let laid_out = |text: &str, size| match Spec::parse(text) {
        Ok(Spec::Struct(fields)) => structure::lay_out(&fields, size, |(_, spec)| match spec {
            Spec::Bytes(bytes) => Ok(bytes.clone()),
            other => panic!("{other:?}"),
        }),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(laid_out("{1: bytes:0102, 3: bytes:03}", 5), Ok(vec![0, 1, 2, 3, 0]));
    assert_eq!(laid_out("{}", 2), Ok(vec![0, 0]));
    let error = SpecError::Overlap { first: 1, end: 3, second: 2 };
    assert_eq!(laid_out("{2: bytes:03, 1: bytes:0102}", 5), Err(error));
    assert!(matches!(laid_out("{4: bytes:0102}", 5), Err(SpecError::FieldOutside { .. })));
    assert!(matches!(
        laid_out("{18446744073709551615: bytes:01}", 5),
        Err(SpecError::FieldOutside { .. })
    ));
    assert_eq!(laid_out("{0: bytes:01}", 1 << 60), Err(SpecError::TooLarge));
}

#[test]
fn an_integer_parameter_takes_both_signed_and_unsigned_values_of_its_width() {
    for ty in [Type::U32, Type::S32, Type::B32] {
        assert_eq!(passed(ty, 4, "-2147483648"), Ok(vec![0, 0, 0, 0x80]));
        assert_eq!(passed(ty, 4, "4294967295"), Ok(vec![0xff; 4]));
        assert_eq!(passed(ty, 4, "-1"), Ok(vec![0xff; 4]));
        assert!(passed(ty, 4, "4294967296").is_err());
        assert!(passed(ty, 4, "-2147483649").is_err());
    }
    assert_eq!(passed(Type::U64, 8, "18446744073709551615"), Ok(vec![0xff; 8]));
    assert!(passed(Type::U64, 8, "18446744073709551616").is_err());
    assert!(passed(Type::U64, 8, "-9223372036854775809").is_err());
    assert_eq!(passed(Type::U8, 1, "255"), Ok(vec![0xff]));
    assert!(passed(Type::U8, 1, "256").is_err());
}

#[test]
fn a_prefix_is_strict_and_must_match_the_parameter() {
    assert_eq!(passed(Type::U32, 4, "s32:-7"), Ok(vec![0xf9, 0xff, 0xff, 0xff]));
    assert!(passed(Type::U32, 4, "s32:4294967295").is_err());
    assert!(passed(Type::U32, 4, "u32:-1").is_err());
    assert!(passed(Type::U32, 4, "u64:1").is_err());
    assert!(passed(Type::U32, 4, "f32:1").is_err());
    assert_eq!(passed(Type::B32, 4, "f32:1"), Ok(vec![0, 0, 0x80, 0x3f]));
    assert_eq!(passed(Type::F32, 4, "1.5"), Ok(1.5f32.to_le_bytes().to_vec()));
    assert_eq!(passed(Type::F32, 4, "-inf"), Ok(f32::NEG_INFINITY.to_le_bytes().to_vec()));
    assert_eq!(passed(Type::F64, 8, "0d3ff8000000000000"), Ok(1.5f64.to_le_bytes().to_vec()));
    assert_eq!(passed(Type::B32, 4, "0f3fc00000"), Ok(1.5f32.to_le_bytes().to_vec()));
    assert!(passed(Type::F32, 4, "0d3ff8000000000000").is_err());
    assert!(passed(Type::F32, 4, "s32:1").is_err());
    let error = passed(Type::U32, 4, "1.5").unwrap_err().to_string();
    assert!(error.contains("f32:1.5"), "{error}");
}

#[test]
fn a_cell_as_bits_has_all_of_them() {
    let bits = Cell { element: ElementType::I16, bits: 0xfffe, as_bits: true };
    assert_eq!(serde_json::to_string(&bits).unwrap(), "\"0xfffe\"");
}

#[test]
fn every_16_bit_float_reads_back_from_json() {
    for element in [ElementType::F16, ElementType::Bf16] {
        for bits in (0..=0xffffu64).filter(|bits| !element.float(*bits).is_nan()) {
            let cell = Cell { element, bits, as_bits: false };
            let json = serde_json::to_string(&cell).unwrap();
            assert_eq!(element.parse(json.trim_matches('"')), Ok(bits), "{json} {bits:#x}");
        }
    }
}

/// The documented generator, computed apart from `fill`: words of ChaCha8 by its definition
/// (D. J. Bernstein, "ChaCha, a variant of Salsa20"), 8 rounds, 64-bit counter, zero nonce.
fn chacha8_words(seed: u64) -> Vec<u64> {
    let mut state = [0u32; 16];
    state[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
    (state[4], state[5]) = (seed as u32, (seed >> 32) as u32);
    let mut x = state;
    let quarter = |x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize| {
        for (r1, r2) in [(16, 12), (8, 7)] {
            x[a] = x[a].wrapping_add(x[b]);
            x[d] = (x[d] ^ x[a]).rotate_left(r1);
            x[c] = x[c].wrapping_add(x[d]);
            x[b] = (x[b] ^ x[c]).rotate_left(r2);
        }
    };
    for _ in 0..4 {
        (0..4).for_each(|i| quarter(&mut x, i, 4 + i, 8 + i, 12 + i));
        (0..4).for_each(|i| quarter(&mut x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4));
    }
    let words: Vec<u32> = x.iter().zip(state).map(|(a, b)| a.wrapping_add(b)).collect();
    words.chunks(2).map(|w| u64::from(w[1]) << 32 | u64::from(w[0])).collect()
}

#[test]
fn random_cells_come_from_the_documented_generator() {
    let words = chacha8_words(42);
    let expected: Vec<String> = words.iter().take(6).map(|w| (w % 10 + 1).to_string()).collect();
    assert_eq!(cells("s32[6]=rand:42:1:10"), expected);
    // Of 2^63+1 values nearly half of all words are above the largest multiple that fits.
    let n = (1u64 << 63) + 1;
    let seed = (0..20).find(|seed| chacha8_words(*seed)[0] >= n).expect("a first word is refused");
    let kept = chacha8_words(seed).into_iter().find(|w| *w < n).expect("one of eight is not");
    assert_eq!(cells(&format!("u64[1]=rand:{seed}:0:9223372036854775808")), [kept.to_string()]);
    let whole: Vec<String> = words.iter().take(4).map(|w| w.to_string()).collect();
    assert_eq!(cells("u64[4]=rand:42"), whole);
    let unit: Vec<String> = words
        .iter()
        .take(4)
        .map(|w| format!("{:?}", (w >> 11) as f64 / 9_007_199_254_740_991.0))
        .collect();
    assert_eq!(cells("f64[4]=rand:42"), unit);
}

#[test]
fn a_random_16_bit_float_is_rounded_once() {
    // Words so near the middle between two f16 that the nearest f32 is the middle, and goes astray.
    for seed in [47_198, 62_800, 66_067, 72_826, 89_578, 94_733] {
        let value = (chacha8_words(seed)[0] >> 11) as f64 / 9_007_199_254_740_991.0;
        let bytes = fill::contents(&buffer(&format!("f16[1]=rand:{seed}"))).unwrap().unwrap();
        let nearest = ElementType::F16.parse(&format!("{value:e}")).unwrap();
        assert_eq!(bytes, nearest.to_le_bytes()[..2], "seed {seed}");
    }
}

#[test]
fn npy_files_are_read_by_type_and_shape() {
    let mut file = npy::header(ElementType::I32, &Shape::row(3));
    assert_eq!(file.len() % 64, 0);
    assert!(npy::cells(&file, ElementType::I32, &Shape::row(3)).is_err(), "cells are missing");
    file.extend([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    assert_eq!(
        npy::cells(&file, ElementType::I32, &Shape::row(3)).unwrap(),
        file[file.len() - 12..]
    );
    assert!(npy::cells(&file, ElementType::U32, &Shape::row(3)).unwrap_err().contains("'<i4'"));
    assert!(npy::cells(&file, ElementType::I32, &Shape::row(4)).unwrap_err().contains("3 cells"));
    assert!(npy::cells(b"\x93NUMPY", ElementType::I32, &Shape::row(3)).is_err());
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n";
    let mut two = b"\x93NUMPY\x02\x00".to_vec();
    two.extend((text.len() as u32).to_le_bytes());
    two.extend(text.as_bytes());
    two.extend([0; 8]);
    assert_eq!(npy::cells(&two, ElementType::F32, &Shape::row(2)).unwrap(), [0; 8]);
}

proptest! {
    #[test]
    fn random_cells_stay_within_their_bounds(seed in any::<u64>(), a in any::<i32>(), b in any::<i32>()) {
        let (low, high) = (a.min(b), a.max(b));
        for cell in cells(&format!("s32[20]=rand:{seed}:{low}:{high}")) {
            let cell: i32 = cell.parse().unwrap();
            prop_assert!(low <= cell && cell <= high);
        }
        for cell in cells(&format!("f16[20]=rand:{seed}:-1:0.1")) {
            let cell: f64 = cell.parse().unwrap();
            prop_assert!((-1.0..=0.1).contains(&cell));
        }
    }

    #[test]
    fn no_text_panics(text in ".{0,40}", near in "[{]?([0-9]: )?(s32|f16|f32|bf16|u8)?(\\[[0-9]{0,3}\\]?)?(=|:)?(iota|rand|list|fill|0x|0f|nan)?:?[-0-9a-f.,e:]{0,12}") {
        for text in [text, near] {
            if let Ok(Spec::Buffer(buffer)) = Spec::parse(&text)
                && buffer.length < 1000
                && !matches!(buffer.init, Init::File(_))
            {
                let _ = fill::contents(&buffer);
            }
        }
    }

    #[test]
    fn no_bytes_make_the_npy_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80), tail in ".{0,60}") {
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        let _ = npy::cells(&bytes, ElementType::I32, &Shape::row(3));
        file.extend((tail.len() as u16).to_le_bytes());
        file.extend(tail.as_bytes());
        let _ = npy::cells(&file, ElementType::I32, &Shape::row(3));
    }
}

fn image(text: &str) -> super::ImageSpec {
    match Spec::parse(text) {
        Ok(Spec::Image(image)) => *image,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_texture_has_its_texels_and_how_it_is_looked_up() {
    use warpsim::host::AddressMode;
    let found = image("tex:u8x4[3x2]=iota,linear,border,normalized,float");
    assert_eq!((found.texels.channels(), found.texels.extent()), (4, [3, 2].as_slice()));
    assert_eq!((found.cells.length, found.cells.init), (24, Init::Iota { start: 0, step: 1 }));
    assert!(found.sampler.linear && found.sampler.normalized && found.sampler.as_float);
    assert_eq!(found.sampler.address, AddressMode::Border);
    // The words end where values begin.
    let found = image("tex:f32[2]=list:1,2,point");
    assert_eq!(found.cells.init, Init::List(vec![0x3f80_0000, 0x4000_0000]));
    let found = image("tex:f16[4x4]=iota,cube,layers=2,levels=3,between");
    assert_eq!((found.texels.is_cube(), found.texels.layers()), (true, Some(2)));
    assert_eq!(found.cells.length, 2 * 6 * (16 + 4 + 1));
    assert!(found.sampler.between_levels);
    let found = image("surf:u8[4],layers=3");
    assert_eq!((found.is_surface, found.cells.length), (true, 12));
    let found = image("surf:s32[4x1x2]");
    assert!(found.is_surface);
    assert_eq!(found.texels.extent(), [4, 1, 2]);
}

#[test]
fn what_is_no_texture_says_why() {
    for (text, why) in [
        ("tex:f64[4]", "there are no texels of f64"),
        ("tex:f32x3[4]", "3 channels; there are 1, 2 or 4"),
        ("tex:f32[4x0]", "each at least 1"),
        ("tex:f32[2x2x2x2]", "one to three sizes"),
        ("tex:f32", "is not a texture"),
        ("tex:f32[4", "`]` after the length is missing"),
        ("surf:f32[4],linear", "a surface does not take this word: leave out `,linear`"),
        ("surf:f32[4x4],levels=2", "leave out `,levels=2`"),
        ("tex:f32[2]=list:1,linear", "2"),
        ("tex:f32[4],layers=x", "`x` is not a number"),
        ("tex:f32[4x5]=iota,cube", "the faces of a cube are squares"),
    ] {
        let error = Spec::parse(text).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}
