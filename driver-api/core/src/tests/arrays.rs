//! Arrays, textures and surfaces.

use super::*;
use crate::{
    AddressMode, Answer, ArrayShape, Block, Call, CudaError, ElementType, Resource, Sampler, Spot,
};

/// `look` writes what a texture gives at (tid + 0.5, 1.5), and `mark` writes 100 + tid to row 1 of
/// a surface.
const PICTURES: &str = ".version 7.0 .target sm_70 .address_size 64
    .visible .entry look(.param .u64 t, .param .u64 out) {
      .reg .b64 %t, %o, %a; .reg .b32 %i; .reg .f32 %x, %y, %v<4>;
      ld.param.u64 %t, [t]; ld.param.u64 %o, [out]; mov.u32 %i, %tid.x;
      cvt.rn.f32.u32 %x, %i; add.f32 %x, %x, 0f3F000000; mov.f32 %y, 0f3FC00000;
      tex.2d.v4.f32.f32 {%v0, %v1, %v2, %v3}, [%t, {%x, %y}];
      mul.wide.u32 %a, %i, 4; add.u64 %o, %o, %a; st.global.f32 [%o], %v0; ret;
    }
    .visible .entry line(.param .u64 t, .param .u64 out) {
      .reg .b64 %t, %o, %a; .reg .b32 %i, %v<4>;
      ld.param.u64 %t, [t]; ld.param.u64 %o, [out]; mov.u32 %i, %tid.x;
      tex.1d.v4.u32.s32 {%v0, %v1, %v2, %v3}, [%t, {%i}];
      mul.wide.u32 %a, %i, 4; add.u64 %o, %o, %a; add.u32 %v0, %v0, %v1; st.global.u32 [%o], %v0; ret;
    }
    .visible .entry mark(.param .u64 s) {
      .reg .b64 %s; .reg .b32 %i, %x, %y;
      ld.param.u64 %s, [s]; mov.u32 %i, %tid.x; shl.b32 %x, %i, 2; mov.u32 %y, 1; add.u32 %i, %i, 100;
      sust.b.2d.b32.trap [%s, {%x, %y}], {%i}; ret;
    }";

fn shape(extent: [u64; 3], element: ElementType, channels: u32) -> ArrayShape {
    ArrayShape { extent, element, channels, flags: 0 }
}

/// Launches a kernel of one block with words as parameters.
fn launch(call: &mut Call<'_>, kernel: &str, threads: u32, words: &[u64]) -> Answer<()> {
    let module = call.load_module(PICTURES.as_bytes(), None).unwrap();
    let function = call.module_function(module, kernel)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let stream = call.stream(0, LEGACY)?;
    call.launch(&request(function, threads, &bytes), stream)?;
    call.synchronise_context()
}

/// Copies rows of this many bytes between the program's memory, where they are one behind the
/// other, and an array.
fn rows(
    call: &mut Call<'_>,
    array: Handle,
    at: [u64; 3],
    extent: [u64; 3],
    up: bool,
) -> Answer<()> {
    let stream = call.stream(0, LEGACY)?;
    let array = call.array_end(array, at, extent)?;
    let own = (Spot::Host(OWN), extent[0], extent[0] * extent[1]);
    let (to, from) = if up { (array, own) } else { (own, array) };
    call.copy_block(&Block { to, from, extent }, stream, true)
}

fn floats(fake: &Fake, values: &[f32]) {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    fake.0.lock().unwrap().piece(OWN, bytes.len()).copy_from_slice(&bytes);
}

fn words(fake: &Fake, count: usize) -> Vec<u32> {
    let mut memory = fake.0.lock().unwrap();
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    memory.piece(OWN, 4 * count).chunks_exact(4).map(word).collect()
}

fn download(call: &mut Call<'_>, from: u64, bytes: u64) -> Answer<()> {
    let stream = call.stream(0, LEGACY)?;
    call.copy(Spot::Host(OWN), Spot::Device(from), bytes, stream, true)
}

#[test]
fn a_kernel_finds_in_a_texture_what_was_copied_to_its_array() -> Answer<()> {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let array = call.create_array(shape([4, 3, 0], ElementType::F32, 1))?;
    floats(&fake, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
    rows(&mut call, array, [0, 0, 0], [16, 3, 1], true)?;
    let out = call.allocate(32)?;
    let mut found = Vec::new();
    for sampler in [
        Sampler::default(),
        Sampler { linear: true, ..Sampler::default() },
        Sampler { address: AddressMode::Border, ..Sampler::default() },
    ] {
        let texture = call.create_texture(Resource::Array(array), sampler)?;
        launch(&mut call, "look", 6, &[texture, out])?;
        download(&mut call, out, 24)?;
        found.push(words(&fake, 6).into_iter().map(f32::from_bits).collect::<Vec<_>>());
        call.destroy_image(texture, true)?;
        assert_eq!(call.destroy_image(texture, true), Err(CudaError::InvalidValue));
    }
    // In the middle of a texel nothing is mixed; beyond the edge is the last texel, or nothing.
    let clamped = [5.0, 6.0, 7.0, 8.0, 8.0, 8.0];
    assert_eq!(found, [clamped, clamped, [5.0, 6.0, 7.0, 8.0, 0.0, 0.0]]);
    // Part of it comes back: a row and a half, from the second texel of the second row on.
    rows(&mut call, array, [4, 1, 0], [8, 2, 1], false)?;
    let back: Vec<f32> = words(&fake, 4).into_iter().map(f32::from_bits).collect();
    assert_eq!(back, [6.0, 7.0, 10.0, 11.0]);
    call.destroy_array(array)?;
    assert_eq!(call.destroy_array(array), Err(CudaError::InvalidHandle));
    Ok(())
}

#[test]
fn memory_in_a_line_is_a_texture_and_what_a_surface_writes_is_in_its_array() -> Answer<()> {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let line = call.allocate(16)?;
    let stream = call.stream(0, LEGACY)?;
    let bytes: Vec<u8> = (0..16).map(|i| i * 3).collect();
    fake.0.lock().unwrap().piece(OWN, 16).copy_from_slice(&bytes);
    call.copy(Spot::Device(line), Spot::Host(OWN), 16, stream, true)?;
    let linear = |channels, bytes| Resource::Linear {
        address: line,
        element: ElementType::U8,
        channels,
        bytes,
    };
    let texture = call.create_texture(linear(2, 16), Sampler::default())?;
    let out = call.allocate(32)?;
    launch(&mut call, "line", 8, &[texture, out])?;
    download(&mut call, out, 32)?;
    let pairs: Vec<u32> =
        bytes.chunks(2).map(|pair| u32::from(pair[0]) + u32::from(pair[1])).collect();
    assert_eq!(words(&fake, 8), pairs);
    let no = Err(CudaError::InvalidValue);
    assert_eq!(call.create_texture(linear(3, 16), Sampler::default()), no);
    // An H200 takes more bytes than are allocated. Texels beyond the allocation read as zero.
    let longer = call.create_texture(linear(2, 100), Sampler::default())?;
    let out = call.allocate(40)?;
    launch(&mut call, "line", 10, &[longer, out])?;
    download(&mut call, out, 40)?;
    let beyond: Vec<u32> = pairs.iter().copied().chain([0, 0]).collect();
    assert_eq!(words(&fake, 10), beyond);
    let ignored = Sampler {
        linear: true,
        normalized: true,
        address: AddressMode::Wrap,
        ..Sampler::default()
    };
    let texture = call.create_texture(linear(2, 16), ignored)?;
    launch(&mut call, "line", 8, &[texture, out])?;
    download(&mut call, out, 32)?;
    assert_eq!(words(&fake, 8), pairs);
    assert_eq!(call.create_surface(linear(1, 16)), no);
    let array = call.create_array(shape([4, 2, 0], ElementType::U32, 1))?;
    let surface = call.create_surface(Resource::Array(array))?;
    assert_eq!(call.destroy_image(surface, true), Err(CudaError::InvalidValue));
    launch(&mut call, "mark", 4, &[surface])?;
    rows(&mut call, array, [0, 1, 0], [16, 1, 1], false)?;
    assert_eq!(words(&fake, 4), [100, 101, 102, 103]);
    // A destroyed surface is no surface.
    call.destroy_image(surface, false)?;
    assert!(launch(&mut call, "mark", 4, &[surface]).is_err());
    Ok(())
}

#[test]
fn rows_with_gaps_between_them_are_a_texture_too() -> Answer<()> {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let (rows, pitch) = call.allocate_pitch(16, 3, 4)?;
    assert!(pitch > 16);
    // The second row, whose texels `look` asks for, and what lies in the gap behind it.
    floats(&fake, &[5.0, 6.0, 7.0, 8.0, 99.0]);
    let stream = call.stream(0, LEGACY)?;
    call.copy(Spot::Device(rows + pitch), Spot::Host(OWN), 20, stream, true)?;
    let pitched = |height, pitch| Resource::Pitched {
        address: rows,
        element: ElementType::F32,
        channels: 1,
        width: 4,
        height,
        pitch,
    };
    let texture = call.create_texture(pitched(3, pitch), Sampler::default())?;
    let out = call.allocate(32)?;
    launch(&mut call, "look", 6, &[texture, out])?;
    download(&mut call, out, 24)?;
    let found: Vec<f32> = words(&fake, 6).into_iter().map(f32::from_bits).collect();
    assert_eq!(found, [5.0, 6.0, 7.0, 8.0, 8.0, 8.0]);
    // Rows that are longer than their distance, and more of them than there are.
    for wrong in [pitched(3, 8), pitched(4, pitch), pitched(3, u64::MAX)] {
        assert_eq!(call.create_texture(wrong, Sampler::default()), Err(CudaError::InvalidValue));
    }
    Ok(())
}

#[test]
fn what_is_no_array_is_refused_and_no_copy_goes_beyond_one() -> Answer<()> {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let no = Err(CudaError::InvalidValue);
    for wrong in [
        shape([0, 0, 0], ElementType::F32, 1),
        shape([4, 0, 3], ElementType::F32, 1),
        shape([4, 4, 0], ElementType::F32, 3),
        shape([4, 4, 0], ElementType::F64, 1),
        shape([1 << 20, 4, 0], ElementType::F32, 1),
        ArrayShape { flags: 4, ..shape([4, 5, 6], ElementType::F32, 1) },
        ArrayShape { flags: 64, ..shape([4, 4, 0], ElementType::F32, 1) },
    ] {
        assert_eq!(call.create_array(wrong), no, "{wrong:?}");
    }
    let deep = call.create_array(shape([4, 3, 2], ElementType::I16, 4))?;
    assert_eq!(call.array(deep)?.texel(), 8);
    assert!(call.array_end(deep, [8, 1, 1], [24, 2, 1]).is_ok());
    for (at, extent) in [([8, 0, 0], [32, 1, 1]), ([0, 2, 0], [8, 2, 1]), ([0, 0, 1], [8, 1, 2])] {
        assert_eq!(call.array_end(deep, at, extent).map(|_| ()), Err(CudaError::InvalidValue));
    }
    let layers = ArrayShape { flags: 1, ..shape([4, 3, 5], ElementType::U8, 1) };
    let layers = call.create_array(layers)?;
    assert!(call.array_end(layers, [0, 0, 4], [4, 3, 1]).is_ok());
    Ok(())
}

#[test]
fn a_span_goes_on_in_the_next_row_and_not_beyond_the_first_slice() -> Answer<()> {
    let (driver, _, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    // Rows of 16 bytes, 3 of them, in 2 slices.
    let array = call.create_array(shape([4, 3, 2], ElementType::F32, 1))?;
    let start = call.array_span(array, [0, 0], 48)?;
    let Spot::Device(base) = start else { panic!("{start:?}") };
    assert_eq!(call.array_span(array, [4, 1], 28)?, Spot::Device(base + 20));
    for (at, bytes) in [([0, 0], 49), ([4, 1], 29), ([16, 0], 1), ([0, 3], 0)] {
        assert_eq!(call.array_span(array, at, bytes), Err(CudaError::InvalidValue), "{at:?}");
    }
    Ok(())
}

#[test]
fn levels_of_a_mipmapped_array_are_half_as_large_and_go_with_it() -> Answer<()> {
    let (driver, fake, mut caller) = driver(Options::default());
    let mut call = driver.enter(&mut caller)?;
    let all = call.create_mipmapped(shape([8, 4, 0], ElementType::F32, 1), 99)?;
    // 8x4, 4x2, 2x1, 1x1: 1 + log2 of the largest (CUDA runtime API, `cudaMallocMipmappedArray`).
    assert_eq!(call.levels(all), Ok(4));
    let levels =
        (0..4).map(|level| call.mipmapped_level(all, level)).collect::<Answer<Vec<_>>>()?;
    assert_eq!(call.mipmapped_level(all, 4), Err(CudaError::InvalidValue));
    assert_eq!(call.mipmapped_level(all, 1)?, levels[1]);
    let extents: Vec<_> = levels.iter().map(|level| call.array(*level).unwrap().extent).collect();
    assert_eq!(extents, [[8, 4, 0], [4, 2, 0], [2, 1, 0], [1, 1, 0]]);
    // What is copied to one level is in none of the others.
    for (level, value) in levels.iter().zip(1u8..) {
        let [width, height, _] = call.array(*level)?.extent;
        floats(&fake, &vec![f32::from(value); (width * height) as usize]);
        rows(&mut call, *level, [0, 0, 0], [4 * width, height, 1], true)?;
    }
    for (level, value) in levels.iter().zip(1u8..) {
        let [width, height, _] = call.array(*level)?.extent;
        rows(&mut call, *level, [0, 0, 0], [4 * width, height, 1], false)?;
        let back = words(&fake, (width * height) as usize);
        assert!(back.iter().all(|word| f32::from_bits(*word) == f32::from(value)), "{back:?}");
    }
    // The first two levels make a texture; a level alone is an array like any other, but goes with
    // all.
    let sampler = Sampler { normalized: true, ..Sampler::default() };
    let texture = call.create_texture(Resource::Mipmapped(all, 2), sampler)?;
    call.destroy_image(texture, true)?;
    assert_eq!(call.destroy_array(levels[0]), Err(CudaError::InvalidValue));
    call.destroy_mipmapped(all)?;
    assert_eq!(call.array(levels[2]), Err(CudaError::InvalidHandle));
    assert_eq!(call.destroy_mipmapped(all), Err(CudaError::InvalidHandle));
    Ok(())
}
