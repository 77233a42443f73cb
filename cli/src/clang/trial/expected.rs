//! The expected results of the trial's kernels: their source (`kernels.cu`) in Rust, thread by
//! thread, without any use of a GPU.

/// A sum as in the kernels, modulo 2^32.
fn added(words: &[u32]) -> u32 {
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

/// What each of this many threads writes.
fn each<const N: usize>(threads: usize, of: impl Fn(usize) -> [u32; N]) -> Vec<u32> {
    (0..threads).flat_map(of).collect()
}

/// The word with the bit of each lane for which this holds.
fn ballot(holds: impl Fn(usize) -> bool) -> u32 {
    (0..32).filter(|lane| holds(*lane)).fold(0, |word, lane| word | 1 << lane)
}

pub(super) fn broadcast_shared(input: &[u32]) -> Vec<u32> {
    vec![input[0]; 64]
}

pub(super) fn broadcast_element(input: &[u32]) -> Vec<u32> {
    each(64, |t| [input[0].wrapping_add(t as u32)])
}

pub(super) fn broadcast_flag(input: &[u32]) -> Vec<u32> {
    vec![input[0] & 1; 64]
}

pub(super) fn broadcast_rounds(input: &[u32]) -> Vec<u32> {
    vec![input.iter().fold(0u32, |sum, word| sum.wrapping_mul(3).wrapping_add(*word)); 64]
}

pub(super) fn sum(input: &[u32]) -> Vec<u32> {
    vec![added(input)]
}

pub(super) fn first(input: &[u32]) -> Vec<u32> {
    vec![input[0]]
}

pub(super) fn reversed(input: &[u32]) -> Vec<u32> {
    input.iter().rev().copied().collect()
}

pub(super) fn scan(input: &[u32]) -> Vec<u32> {
    each(input.len(), |t| [added(&input[..=t])])
}

pub(super) fn exchange(input: &[u32]) -> Vec<u32> {
    let mut cells = input.to_vec();
    for count in (1..cells.len()).rev() {
        for j in 0..count {
            cells[j] = cells[j + 1].wrapping_mul(3).wrapping_add(cells[j].wrapping_mul(5));
        }
    }
    vec![cells[0]]
}

pub(super) fn counted(input: &[u32]) -> Vec<u32> {
    let odd = input.iter().filter(|word| *word % 2 == 1).count();
    let (all, any) = (u32::from(odd == input.len()), u32::from(odd > 0));
    vec![odd as u32 | all << 16 | any << 17; input.len()]
}

pub(super) fn last_block(input: &[u32]) -> Vec<u32> {
    std::iter::once(added(input)).chain(input.iter().copied()).collect()
}

/// The sum grows while one block after the other adds its number, which is small.
pub(super) fn locked(input: &[u32]) -> Vec<u32> {
    let sum = input.iter().map(|word| word % 1000).sum();
    std::iter::once(sum).chain(input.iter().map(|_| 1)).collect()
}

pub(super) fn histogram(input: &[u32]) -> Vec<u32> {
    let bin = |bin| input.iter().filter(|word| *word % 8 == bin).count() as u32;
    let most = input.iter().copied().max().unwrap_or(0);
    (0..8).map(bin).chain([most, added(input)]).collect()
}

pub(super) fn votes(input: &[u32]) -> Vec<u32> {
    each(input.len(), |t| {
        let odd = ballot(|lane| input[t / 32 * 32 + lane] % 2 == 1);
        let (all, any) = (u32::from(odd == u32::MAX), u32::from(odd != 0));
        let part = if t % 32 < 20 { odd & 0xfffff } else { !odd & 0xfff0_0000 };
        [odd, all | any << 1, part, u32::from(odd == 0 || odd == u32::MAX)]
    })
}

pub(super) fn branches(input: &[u32]) -> Vec<u32> {
    let value = |t: usize| match t {
        0..12 => input[t].wrapping_add(7),
        _ => input[t].wrapping_mul(3),
    };
    // A thread of the other branch is in nobody's mask.
    [vec![0; 32], (0..32).map(value).collect()].concat()
}

pub(super) fn matches(input: &[u32]) -> Vec<u32> {
    let class = |lane: usize| input[lane] % 3;
    let is_one = (0..32).all(|lane| class(lane) == class(0));
    let least = input.iter().copied().min().unwrap_or(0);
    let folded = input.iter().fold(0, |all, word| all ^ word);
    each(32, |t| {
        let same = ballot(|lane| class(lane) == class(t));
        [same, if is_one { u32::MAX } else { 0 }, added(input), least ^ folded]
    })
}

pub(super) fn shuffles(input: &[u32]) -> Vec<u32> {
    each(input.len(), |t| {
        let warp = &input[t / 32 * 32..][..32];
        let lane = t % 32;
        // Behind the last lane a thread keeps its own.
        let from = if lane + 3 < 32 { t + 3 } else { t };
        let down = input[from] ^ from as u32;
        [added(warp), added(&warp[..=lane]), down, warp[lane / 8 * 8 + 5]]
    })
}

pub(super) fn warp_exchange(input: &[u32]) -> Vec<u32> {
    let cell = |t: usize| input[t ^ 1].wrapping_add(t as u32);
    each(32, |t| [cell(31 - t)])
}

pub(super) fn rounds(input: &[u32]) -> Vec<u32> {
    let count = |t: usize| {
        let (mut v, mut count) = (input[t] % 97 + 1, 0);
        while v != 1 {
            v = if v.is_multiple_of(2) { v / 2 } else { 3 * v + 1 };
            count += 1;
        }
        count
    };
    each(32, |t| [count(t), ballot(|lane| count(lane) % 2 == 1)])
}

pub(super) fn records(input: &[u32]) -> Vec<u32> {
    each(32, |t| {
        // What the thread holds that this one reads from.
        let theirs = input[31 - t];
        let v = match theirs % 3 {
            0 => theirs,
            1 => theirs.wrapping_add(1),
            _ => theirs ^ 0x8080,
        };
        let c = v.wrapping_mul(input[t] % 3 + 1);
        [v as i8 as u32, (v >> 8) as i16 as u32, c, (-i64::from(v) >> 4) as u32]
    })
}

/// The numbers of 64 bits that words hold, the lower half first.
fn wide(input: &[u32]) -> Vec<u64> {
    input.chunks_exact(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect()
}

pub(super) fn signs(input: &[u32]) -> Vec<u32> {
    let wide = wide(input);
    each(wide.len(), |t| {
        // The number of a line, and the upper half of it.
        let x = |line: usize| wide[(t + line) % wide.len()] as i64;
        let upper = |line: usize| (x(line) >> 32) as i32;
        let d = x(3);
        let compared = [d > -2, d as u64 > 1 << 63, d == i64::from(upper(7))];
        let compared = compared.iter().rev().fold(0, |word, is| word << 1 | u32::from(*is));
        let e = x(4);
        [
            if x(0) < 0 { 7 } else { 0 },
            (x(1) >> 63 & 7) as u32,
            (x(2) >> 60 & 0xff) as u32,
            if upper(6) < 0 { 7 } else { 0 },
            (upper(7) >> 28 & 0x3f) as u32,
            compared,
            (e as u64 >> 61 & 0xf) as u32 | ((e >> 33 & 0xffff) as u32) << 8,
            ((x(5) << 5) >> 37) as u32,
            if x(8) < 0 { 7 } else { 0 },
            0,
            (x(9) >> 63 & 7) as u32,
            0,
        ]
    })
}

pub(super) fn products(input: &[u32]) -> Vec<u32> {
    let wide = wide(input);
    each(wide.len(), |t| {
        let (x, s) = (wide[t], wide[t] as i64);
        let (low, high) = (input[2 * t], input[2 * t + 1]);
        let square = u128::from(x) * u128::from(x);
        [
            (x / 7) as u32,
            (s % 10) as u32,
            (s / 8) as u32,
            (square >> 32) as u32,
            (square >> 64 >> 7) as u32,
            ((u64::from(low) * u64::from(high)) >> 32) as u32,
            (low as i32 / 16) as u32,
            high % 1000,
        ]
    })
}

pub(super) fn indexed(input: &[u32]) -> Vec<u32> {
    each(32, |t| {
        let classes = (0..16).map(|i| input[(t + i) % 32] % 5);
        let counts = classes.fold([0u32; 5], |mut counts, class| {
            counts[class as usize] += 1;
            counts
        });
        let all = counts.iter().fold(0u32, |all, count| all * 17 + count);
        [match input[t] % 6 {
            0 => all.wrapping_add(3),
            1 => all ^ 0x55,
            2 => all.wrapping_mul(5).wrapping_sub(1),
            3 => all.wrapping_sub(1),
            4 => !all,
            _ => all,
        }]
    })
}

pub(super) fn conversions(input: &[u32]) -> Vec<u32> {
    each(32, |t| {
        let v = input[t] as i32;
        let f = v as f32;
        let compared = u32::from(f64::from(v) * 0.5 < -1.0e8) | u32::from(f <= 12.0) << 1;
        [f.to_bits(), (f / 3.0) as i32 as u32, f.abs().sqrt().to_bits(), compared]
    })
}
