//! Tiles multiplied by a plain loop: elements are found by the ISA's formulas (9.7.14.5.1 and
//! after), numbers are exact, in 128 bits, and cut and rounded as measured on sm_90
//! (`docs/tensor-cores.md`). Shares no code with the simulator.

use super::{Form, bits};

/// A float: its value is `size * 2^(exponent - fraction)` where `fraction` is its type's.
#[derive(Clone, Copy)]
enum Number {
    Finite { negative: bool, exponent: i32, size: u64 },
    Infinite(bool),
    Nan,
}

/// Bits of exponent and fraction.
fn widths(ty: &str) -> (u32, u32) {
    match ty {
        "f32" => (8, 23),
        "tf32" => (8, 10),
        "bf16" => (8, 7),
        "f16" => (5, 10),
        "e5m2" => (5, 2),
        "e4m3" => (4, 3),
        other => panic!("{other} is no float of up to 32 bits"),
    }
}

fn decode(ty: &str, bits: u64) -> Number {
    let (e, m) = widths(ty);
    let bits = if ty == "tf32" { bits >> 13 } else { bits };
    let (bias, top) = ((1 << (e - 1)) - 1, (1 << e) - 1);
    let negative = bits >> (e + m) & 1 == 1;
    let (field, fraction) = ((bits >> m & top) as i32, bits & ((1 << m) - 1));
    if ty == "e4m3" {
        if field == 15 && fraction == 7 {
            return Number::Nan;
        }
        // It is made f16 first, which has all its subnormals as normal numbers.
        if field == 0 && fraction != 0 {
            let up = m - fraction.ilog2();
            return Number::Finite {
                negative,
                exponent: 1 - bias - up as i32,
                size: fraction << up,
            };
        }
    } else if field == top as i32 {
        return if fraction == 0 { Number::Infinite(negative) } else { Number::Nan };
    }
    match field {
        0 => Number::Finite { negative, exponent: 1 - bias, size: fraction },
        _ => Number::Finite { negative, exponent: field - bias, size: fraction | 1 << m },
    }
}

/// An exact sum: so many of 2 to the power of something.
type Sum = Result<(i128, i32), Number>;

/// Products and an accumulator, each cut toward zero 25 bits below the largest exponent (or below
/// -133, if that is more), and added.
fn sum(products: &[(u64, u64)], types: [&str; 2], (c, c_fraction): (Number, u32)) -> Sum {
    let fraction = widths(types[0]).1 + widths(types[1]).1;
    let (mut nan, mut infinite) = (false, [false; 2]);
    let mut terms: Vec<(bool, i32, i128)> = Vec::new();
    for (a, b) in products {
        match (decode(types[0], *a), decode(types[1], *b)) {
            (Number::Nan, _) | (_, Number::Nan) => nan = true,
            (Number::Infinite(x), Number::Infinite(y)) => infinite[usize::from(x != y)] = true,
            (Number::Infinite(x), Number::Finite { negative: y, size, .. })
            | (Number::Finite { negative: y, size, .. }, Number::Infinite(x)) => {
                if size == 0 {
                    nan = true
                } else {
                    infinite[usize::from(x != y)] = true
                }
            }
            (
                Number::Finite { negative: x, exponent: e, size: s },
                Number::Finite { negative: y, exponent: f, size: t },
            ) => terms.push((x != y, e + f, i128::from(s * t) << (60 - fraction))),
        }
    }
    match c {
        Number::Nan => nan = true,
        Number::Infinite(x) => infinite[usize::from(x)] = true,
        Number::Finite { negative, exponent, size } => {
            terms.push((negative, exponent, i128::from(size) << (60 - c_fraction)));
        }
    }
    if nan || infinite == [true; 2] {
        return Err(Number::Nan);
    }
    if infinite != [false; 2] {
        return Err(Number::Infinite(infinite[1]));
    }
    terms.retain(|(_, _, size)| *size != 0);
    let Some(largest) = terms.iter().map(|term| term.1).max() else { return Ok((0, 0)) };
    let largest = largest.max(-133);
    // Sizes are in units of 2^(exponent - 60), and kept parts in units of 2^(largest - 25).
    let kept = |(negative, exponent, size): &(bool, i32, i128)| {
        let cut = size.checked_shr((largest - exponent + 35) as u32).unwrap_or(0);
        if *negative { -cut } else { cut }
    };
    Ok((terms.iter().map(kept).sum(), largest - 25))
}

/// As a float with this many bits of exponent and fraction: cut toward zero, or to nearest even.
fn round(sum: Sum, (e, m): (u32, u32), nearest: bool) -> u64 {
    let (bias, top) = ((1 << (e - 1)) - 1, (1u64 << e) - 1);
    let infinite = |negative: bool| u64::from(negative) << (e + m) | top << m;
    let (sum, unit) = match sum {
        Err(Number::Nan) => return (1 << (e + m)) - 1,
        Err(Number::Infinite(negative)) => return infinite(negative),
        Err(Number::Finite { .. }) => panic!("a finite number that is none"),
        Ok((0, _)) => return 0,
        Ok(sum) => sum,
    };
    let (negative, size) = (sum < 0, sum.unsigned_abs());
    let exponent = size.ilog2() as i32 + unit;
    let last = (exponent - m as i32).max(1 - bias - m as i32);
    let shift = last - unit;
    let mut kept =
        if shift > 0 { size.checked_shr(shift as u32).unwrap_or(0) } else { size << -shift };
    if nearest && (1..100).contains(&shift) {
        let (rest, half) = (size & ((1 << shift) - 1), 1 << (shift - 1));
        kept += u128::from(rest > half || rest == half && kept & 1 == 1);
    }
    if exponent > bias {
        return infinite(negative);
    }
    if kept == 0 {
        return 0;
    }
    // A carry of the fraction goes into the exponent.
    let field = (last + m as i32 + bias - 1) as u64;
    u64::from(negative) << (e + m) | ((field << m) + kept as u64).min(top << m)
}

fn single(ty: &str, bits: u64) -> f32 {
    match decode(ty, bits) {
        Number::Nan => f32::NAN,
        Number::Infinite(negative) => {
            if negative {
                f32::NEG_INFINITY
            } else {
                f32::INFINITY
            }
        }
        Number::Finite { negative, exponent, size } => {
            let size = (size as f64 * 2f64.powi(exponent - widths(ty).1 as i32)) as f32;
            if negative { -size } else { size }
        }
    }
}

/// A number that f64 has, as f32 or f16 to nearest even.
fn nearest(ty: &str, value: f64) -> u64 {
    let wide = value.to_bits();
    let (field, fraction) = ((wide >> 52 & 0x7ff) as i32, wide & ((1 << 52) - 1));
    let sign = (wide >> 63) << (bits(ty) - 1);
    let sum = match field {
        0x7ff if fraction != 0 => return round(Err(Number::Nan), widths(ty), true),
        0x7ff => Err(Number::Infinite(false)),
        0 => Ok((0, 0)),
        _ => Ok((i128::from(fraction | 1 << 52), field - 1075)),
    };
    sign | round(sum, widths(ty), true)
}

fn f64_of(ty: &str, bits: u64) -> f64 {
    single(ty, bits).into()
}

/// One element: the products of a row and a column in the order of k, plus c.
fn element(form: &Form, products: &[(u64, u64)], c: u64) -> u64 {
    let [a, b, of_c, d] = form.types;
    if d == "s32" {
        return integers(form, products, c);
    }
    if d == "f64" {
        return doubles(products, c);
    }
    let types = [a, b];
    let rounded = |sum: Sum| round(sum, widths(d), d == "f16");
    if form.is_four() {
        let of = |(a, b): &(u64, u64)| [single("f16", *a), single("f16", *b)];
        let fused = |sum: f32, pair: &(u64, u64)| of(pair)[0].mul_add(of(pair)[1], sum);
        let c = single(of_c, c);
        let result = if d == "f32" {
            c + products.iter().fold(0.0, fused)
        } else {
            let pair =
                |i: usize| fused(of(&products[i])[0] * of(&products[i])[1], &products[i + 1]);
            c + pair(0) + pair(2)
        };
        return nearest(d, result.into());
    }
    if bits(a) == 8 {
        let half = |low: bool| -> Vec<(u64, u64)> {
            let places = products.iter().enumerate().filter(|(i, _)| (i % 4 < 2) == low);
            places.map(|(_, pair)| *pair).collect()
        };
        let first = rounded(sum(&half(true), types, (decode(d, 0), widths(d).1)));
        let all = rounded(sum(&half(false), types, (decode(d, first), widths(d).1)));
        return nearest(d, f64_of(of_c, c) + f64_of(d, all));
    }
    let widened = of_c == "f16" && d == "f32";
    let mut accumulator = if widened {
        (decode("f32", u64::from(single("f16", c).to_bits())), 23)
    } else {
        (decode(of_c, c), widths(of_c).1)
    };
    let step = if form.wmma && a == "tf32" { 4 } else { products.len() };
    let mut result = 0;
    for step in products.chunks(step) {
        let sum = sum(step, types, accumulator);
        result = match (of_c, d) {
            ("f32", "f16") => nearest("f16", f64_of("f32", round(sum, widths("f32"), false))),
            _ => rounded(sum),
        };
        accumulator = (decode(d, result), widths(d).1);
    }
    result
}

fn integers(form: &Form, products: &[(u64, u64)], c: u64) -> u64 {
    let signed = |ty: &str, x: u64| match ty {
        "s8" => i64::from(x as i8),
        "s4" => (x as i64 & 7) - (x as i64 & 8),
        _ => x as i64,
    };
    let product = |(a, b): &(u64, u64)| match form.types[0] {
        "b1" if form.text.contains("xor") => (a ^ b) as i64,
        "b1" => (a & b) as i64,
        _ => signed(form.types[0], *a) * signed(form.types[1], *b),
    };
    let sum = products.iter().map(product).sum::<i64>() + i64::from(c as i32);
    let clamped = sum.max(i32::MIN.into()).min(i32::MAX.into());
    u64::from(if form.text.contains("satfinite") { clamped as u32 } else { sum as u32 })
}

/// One fused operation after the other. A NaN is taken from b, the sum so far, or a, and made
/// quiet. Otherwise it is the NaN of invalid operations.
fn doubles(products: &[(u64, u64)], c: u64) -> u64 {
    products.iter().fold(c, |sum, (a, b)| {
        let result = f64::from_bits(*a).mul_add(f64::from_bits(*b), f64::from_bits(sum));
        let first = [*b, sum, *a].into_iter().find(|x| f64::from_bits(*x).is_nan());
        match (result.is_nan(), first) {
            (false, _) => result.to_bits(),
            (true, Some(nan)) => nan | 1 << 51,
            (true, None) => 0xfff8_0000_0000_0000,
        }
    })
}

/// Element `i` of a lane's fragment that begins with word `base`.
fn held(words: &[u32], base: usize, lane: usize, i: usize, width: usize) -> u64 {
    if width == 64 {
        let [low, high] = [0, 32].map(|at| u64::from(words[base + 64 * i + at + lane]));
        return low | high << 32;
    }
    let per = 32 / width;
    u64::from(words[base + 32 * (i / per) + lane] >> (i % per * width)) & (u64::MAX >> (64 - width))
}

fn put(words: &mut [u32], lane: usize, i: usize, width: usize, value: u64) {
    if width == 64 {
        words[64 * i + lane] = value as u32;
        words[64 * i + 32 + lane] = (value >> 32) as u32;
    } else {
        let per = 32 / width;
        words[32 * (i / per) + lane] |= (value << (i % per * width)) as u32;
    }
}

/// The words that a tile writes.
pub fn product(form: &Form, words: &[u32]) -> Vec<u32> {
    match (form.wmma, form.is_four()) {
        (true, _) => in_memory(form, words),
        (false, true) => four(form, words),
        (false, false) => one(form, words),
    }
}

fn in_memory(form: &Form, words: &[u32]) -> Vec<u32> {
    let Form { m, n, k, types, .. } = form;
    let [a, b, c, d] = types.map(bits);
    let (at_b, at_c) = (m * k * a, m * k * a + n * k * b);
    let get = |base: usize, i: usize, width: usize| {
        let bit = base + i * width;
        match width {
            64 => u64::from(words[bit / 32]) | u64::from(words[bit / 32 + 1]) << 32,
            _ => u64::from(words[bit / 32] >> (bit % 32)) & (u64::MAX >> (64 - width)),
        }
    };
    let mut out = vec![0u32; m * n * d / 32];
    for row in 0..*m {
        for column in 0..*n {
            let pair = |x| (get(0, row * k + x, a), get(at_b, column * k + x, b));
            let products: Vec<_> = (0..*k).map(pair).collect();
            let value = element(form, &products, get(at_c, row * n + column, c));
            let bit = (row * n + column) * d;
            out[bit / 32] |= (value << (bit % 32)) as u32;
            if d == 64 {
                out[bit / 32 + 1] = (value >> 32) as u32;
            }
        }
    }
    out
}

fn four(form: &Form, words: &[u32]) -> Vec<u32> {
    let [_, _, c, d] = form.types.map(bits);
    let mut layouts = form.text.split('.').filter(|word| ["row", "col"].contains(word));
    let (of_a, of_b) = (layouts.next(), layouts.next());
    let at_c = 128;
    let mut out = vec![0; form.tile_words()[1]];
    for product in 0..4 {
        let (mut a, mut b) = ([[0; 4]; 8], [[0; 8]; 4]);
        let lanes: Vec<usize> =
            (0..8).map(|x| 4 * product + x % 4 + if x < 4 { 0 } else { 16 }).collect();
        for (x, lane) in lanes.iter().enumerate() {
            let upper = x / 4 * 4;
            for i in 0..4 {
                let (row, column) = if of_a == Some("row") { (x, i) } else { (i + upper, x % 4) };
                a[row][column] = held(words, 0, *lane, i, 16);
                let (row, column) = if of_b == Some("col") { (i, x) } else { (x % 4, i + upper) };
                b[row][column] = held(words, 64, *lane, i, 16);
            }
        }
        let place = |ty: &str, x: usize, lane: usize, i: usize| match ty {
            "f16" => (x, i),
            _ => ((lane & 1) + (i & 2) + x / 4 * 4, (i & 4) + (lane & 2) + (i & 1)),
        };
        let mut added = [[0; 8]; 8];
        for (x, lane) in lanes.iter().enumerate() {
            for i in 0..8 {
                let (row, column) = place(form.types[2], x, *lane, i);
                added[row][column] = held(words, at_c, *lane, i, c);
            }
        }
        for (x, lane) in lanes.iter().enumerate() {
            for i in 0..8 {
                let (row, column) = place(form.types[3], x, *lane, i);
                let products: Vec<_> = (0..4).map(|k| (a[row][k], b[k][column])).collect();
                put(&mut out, *lane, i, d, element(form, &products, added[row][column]));
            }
        }
    }
    out
}

fn one(form: &Form, words: &[u32]) -> Vec<u32> {
    let Form { m, n, k, types, sparse, .. } = form;
    let [a, b, c, d] = types.map(bits);
    let [of_a, of_b, of_c, _] = form.words();
    let (at_b, at_c) = (32 * of_a, 32 * (of_a + of_b));
    let held_k = if *sparse { k / 2 } else { *k };
    let per = |width: usize| (32 / width).max(1);
    let (mut left, mut right) = (vec![0; m * held_k], vec![0; k * n]);
    for lane in 0..32 {
        let (group, within) = (lane / 4, lane % 4);
        for i in 0..m * held_k / 32 {
            let register = i / per(a);
            let row = group + 8 * (register % (m / 8));
            let column = register / (m / 8) * 4 * per(a) + within * per(a) + i % per(a);
            left[row * held_k + column] = held(words, 0, lane, i, a);
        }
        for i in 0..n * k / 32 {
            let row = i / per(b) * 4 * per(b) + within * per(b) + i % per(b);
            right[row * n + group] = held(words, at_b, lane, i, b);
        }
    }
    let metadata = |lane: usize| words[at_c + 32 * of_c + lane];
    let mut out = vec![0; form.tile_words()[1]];
    for lane in 0..32 {
        for i in 0..m * n / 32 {
            let (row, column) = (lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2);
            let pair = |x: usize| {
                let at = if *sparse { sparse_column(form, &metadata, row, x) } else { x };
                (left[row * held_k + x], right[at * n + column])
            };
            let products: Vec<_> = (0..held_k).map(pair).collect();
            let value = element(form, &products, held(words, at_c, lane, i, c));
            put(&mut out, lane, i, d, value);
        }
    }
    out
}

/// The column of the element that is held as the `x`th of a row (9.7.14.6.1).
fn sparse_column(form: &Form, metadata: &dyn Fn(usize) -> u32, row: usize, x: usize) -> usize {
    let together = if bits(form.types[0]) == 4 { 2 } else { 1 };
    let per = if form.types[0] == "tf32" { 1 } else { 2 * together };
    let (chunk, within) = (x / per, x % per / together);
    let (group, below) = (row % 8, row / 8);
    let nibble = if bits(form.types[0]) >= 16 {
        metadata(4 * group + chunk / 4) >> (16 * below + 4 * (chunk % 4))
    } else {
        metadata(4 * group + below + 2 * (chunk / 8)) >> (4 * (chunk % 8))
    };
    match form.types[0] {
        "tf32" => 2 * chunk + usize::from(nibble & 15 == 0b1110),
        _ => (4 * chunk + (nibble >> (2 * within) & 3) as usize) * together + x % together,
    }
}
