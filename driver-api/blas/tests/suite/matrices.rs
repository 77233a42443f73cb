//! Levels 2 and 3 against their definitions.

use proptest::prelude::*;
use warpsim_blas::columns::{self, Columns, Triangle};
use warpsim_blas::matrices::{self, Rank, Side};
use warpsim_blas::product::Factor;
use warpsim_blas::{C32, C64, Layout, Number, Op, Symmetry, Uplo};

use crate::{Dense, Exact, dense, exact, number, value, values};

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![Just(Op::None), Just(Op::Transposed), Just(Op::Conjugated)]
}

fn uplo() -> impl Strategy<Value = Uplo> {
    prop_oneof![Just(Uplo::Lower), Just(Uplo::Upper)]
}

fn is_kept(uplo: Uplo, i: usize, j: usize) -> bool {
    match uplo {
        Uplo::Lower => i >= j,
        Uplo::Upper => i <= j,
    }
}

/// The real parts alone where a type has no others.
fn of_type(matrix: &Dense, is_complex: bool) -> Dense {
    let part = |v: Exact| if is_complex { v } else { Exact::new(v.re, 0) };
    Dense::new(matrix.rows, matrix.columns, |i, j| part(matrix.at(i, j)))
}

/// The elements that a layout has, in its order.
fn kept<T: Number>(layout: &Layout, matrix: &Dense) -> Columns<T> {
    let elements = layout.columns.iter().enumerate().flat_map(|(j, run)| {
        (run.first_row..run.first_row + run.count).map(move |i| matrix.at(i, j))
    });
    Columns::new(layout, elements.map(number).collect())
}

/// What a layout has of a matrix, and nothing elsewhere.
fn masked(layout: &Layout, matrix: &Dense) -> Dense {
    Dense::new(matrix.rows, matrix.columns, |i, j| {
        let run = layout.columns[j];
        let is_there = (run.first_row..run.first_row + run.count).contains(&i);
        if is_there { matrix.at(i, j) } else { Exact::new(0, 0) }
    })
}

/// The whole matrix, made from the triangle that is kept.
fn mirrored(uplo: Uplo, symmetry: Symmetry, matrix: &Dense) -> Dense {
    Dense::new(matrix.rows, matrix.columns, |i, j| {
        let (value, is_hermitian) = match is_kept(uplo, i, j) {
            true => (matrix.at(i, j), false),
            false => (matrix.at(j, i), symmetry == Symmetry::Hermitian),
        };
        let value = if is_hermitian { value.conj() } else { value };
        if i == j && symmetry == Symmetry::Hermitian { Exact::new(value.re, 0) } else { value }
    })
}

macro_rules! for_all_types {
    ($function:ident($($argument:expr),*)) => {
        $function::<f32>(false, $($argument),*)?;
        $function::<f64>(false, $($argument),*)?;
        $function::<C32>(true, $($argument),*)?;
        $function::<C64>(true, $($argument),*)?;
    };
}

fn check_gemm<T: Number + Factor>(
    is_complex: bool,
    ops: (Op, Op),
    (a, b, c): (&Dense, &Dense, &Dense),
    [alpha, beta]: [Exact; 2],
) -> Result<(), TestCaseError> {
    let (a, b, c) = (of_type(a, is_complex), of_type(b, is_complex), of_type(c, is_complex));
    let part = |v: Exact| if is_complex { v } else { Exact::new(v.re, 0) };
    let (alpha, beta) = (part(alpha), part(beta));
    let wanted = a.op(ops.0).times(&b.op(ops.1)).scaled(alpha).plus(&c.scaled(beta));
    let mut all: Vec<T> = c.numbers();
    if beta == Exact::new(0, 0) {
        // What is not looked at may be anything.
        all.fill(T::from_real(warpsim_blas::Real::of_f64(f64::NAN)));
    }
    let extents = [c.rows, c.columns, a.op(ops.0).columns];
    matrices::gemm(ops, extents, number(alpha), (a.numbers(), b.numbers()), number(beta), &mut all);
    prop_assert_eq!(exact(&all), wanted.all);
    Ok(())
}

fn check_symmetric<T: Number + Factor>(
    is_complex: bool,
    (side, uplo, symmetry): (Side, Uplo, Symmetry),
    (a, b, c): (&Dense, &Dense, &Dense),
    [alpha, beta]: [Exact; 2],
) -> Result<(), TestCaseError> {
    let (a, b, c) = (of_type(a, is_complex), of_type(b, is_complex), of_type(c, is_complex));
    let part = |v: Exact| if is_complex { v } else { Exact::new(v.re, 0) };
    let (alpha, beta) = (part(alpha), part(beta));
    let whole = mirrored(uplo, symmetry, &a);
    let product = if side == Side::Left { whole.times(&b) } else { b.times(&whole) };
    let wanted = product.scaled(alpha).plus(&c.scaled(beta));
    let triangle = kept::<T>(&Layout::triangle(uplo, a.rows, a.rows), &a);
    let mut all: Vec<T> = c.numbers();
    let kind = (side, uplo, symmetry);
    let (one, other) = (number(alpha), number(beta));
    matrices::symm(kind, [c.rows, c.columns], one, (&triangle, b.numbers()), other, &mut all);
    prop_assert_eq!(&exact(&all), &wanted.all);
    // Times a vector.
    if let (Side::Left, true) = (side, b.columns > 0) {
        let mut all: Vec<T> = c.numbers()[..c.rows].to_vec();
        let x: Vec<T> = b.numbers()[..b.rows].to_vec();
        columns::symv((uplo, symmetry), one, &triangle, &x, other, &mut all);
        prop_assert_eq!(exact(&all), &wanted.all[..c.rows]);
    }
    Ok(())
}

fn check_rank_k<T: Number + Factor>(
    is_complex: bool,
    (uplo, symmetry, op): (Uplo, Symmetry, Op),
    (a, b, c): (&Dense, &Dense, &Dense),
    [alpha, beta]: [Exact; 2],
) -> Result<(), TestCaseError> {
    let (a, b, c) = (of_type(a, is_complex), of_type(b, is_complex), of_type(c, is_complex));
    let part = |v: Exact| if is_complex { v } else { Exact::new(v.re, 0) };
    let (alpha, beta) = (part(alpha), Exact::new(beta.re, 0));
    let (n, is_hermitian) = (c.rows, symmetry == Symmetry::Hermitian);
    let turn = if is_hermitian { Op::Conjugated } else { Op::Transposed };
    let real = |v: Exact, i: usize, j: usize| {
        if i == j && is_hermitian { Exact::new(v.re, 0) } else { v }
    };
    let (one, other) = (a.op(op), b.op(op));
    let layout = Layout::triangle(uplo, n, n);
    let rank = Rank {
        symmetry,
        op,
        n,
        k: one.columns,
        alpha: number::<T>(alpha),
        beta: number::<T>(beta),
    };
    let compare = |all: &Columns<T>, wanted: Dense| {
        let wanted = Dense::new(n, n, |i, j| real(wanted.at(i, j), i, j));
        prop_assert_eq!(exact(&all.data), exact(&kept::<T>(&layout, &wanted).data));
        Ok(())
    };
    let mut all = kept::<T>(&layout, &c);
    matrices::syrkx(rank, a.numbers(), b.numbers(), &mut all);
    let product = one.times(&other.op(turn)).scaled(alpha);
    compare(&all, product.plus(&c.scaled(beta)))?;
    let mut all = kept::<T>(&layout, &c);
    matrices::syr2k(rank, a.numbers(), b.numbers(), &mut all);
    let conjugated = if is_hermitian { alpha.conj() } else { alpha };
    let second = other.times(&one.op(turn)).scaled(conjugated);
    compare(&all, product.plus(&second).plus(&c.scaled(beta)))
}

fn check_triangle<T: Number>(
    is_complex: bool,
    (side, triangle): (Side, Triangle),
    (a, x): (&Dense, &Dense),
) -> Result<(), TestCaseError> {
    let (a, x) = (of_type(a, is_complex), of_type(x, is_complex));
    let Triangle { uplo, op, is_unit } = triangle;
    // A diagonal by which one can divide exactly.
    let a = Dense::new(a.rows, a.columns, |i, j| match i == j {
        true => {
            [1, -1, 2, -2].map(|re| Exact::new(re, 0))[(a.at(i, j).re.unsigned_abs() % 4) as usize]
        }
        false => a.at(i, j),
    });
    let whole = Dense::new(a.rows, a.columns, |i, j| match (i == j, is_kept(uplo, i, j)) {
        (true, _) if is_unit => Exact::new(1, 0),
        (_, true) => a.at(i, j),
        (_, false) => Exact::new(0, 0),
    });
    let product = match side {
        Side::Left => whole.op(op).times(&x),
        Side::Right => x.times(&whole.op(op)),
    };
    let two = Exact::new(2, 0);
    let kept = kept::<T>(&Layout::triangle(uplo, a.rows, a.rows), &a);
    let shape = [x.rows, x.columns];
    let all = matrices::trmm((side, triangle), shape, number(two), &kept, x.numbers());
    prop_assert_eq!(exact(&all), product.scaled(two).all);
    let solved = matrices::trsm((side, triangle), shape, number(two), &kept, product.numbers());
    prop_assert_eq!(exact::<T>(&solved), x.scaled(two).all);
    Ok(())
}

fn check_band<T: Number>(
    is_complex: bool,
    (op, layout): (Op, &Layout),
    (a, x, y): (&Dense, &[Exact], &[Exact]),
    [alpha, beta]: [Exact; 2],
) -> Result<(), TestCaseError> {
    let part = |v: Exact| if is_complex { v } else { Exact::new(v.re, 0) };
    let a = masked(layout, &of_type(a, is_complex));
    let (alpha, beta) = (part(alpha), part(beta));
    let (of_x, of_y) = (a.op(op).columns, a.op(op).rows);
    let vector = |all: &[Exact], n| Dense::new(n, 1, |i, _| part(all[i]));
    let (x, y) = (vector(x, of_x), vector(y, of_y));
    let wanted = a.op(op).times(&x).scaled(alpha).plus(&y.scaled(beta));
    let mut all: Vec<T> = y.numbers();
    let band = kept::<T>(layout, &a);
    columns::gemv(op, number(alpha), &band, &x.numbers::<T>(), number(beta), &mut all);
    prop_assert_eq!(exact(&all), wanted.all);
    Ok(())
}

fn check_ranks<T: Number>(
    is_complex: bool,
    (uplo, symmetry): (Uplo, Symmetry),
    (a, x, y): (&Dense, &[Exact], &[Exact]),
    alpha: Exact,
) -> Result<(), TestCaseError> {
    let part = |v: Exact| if is_complex { v } else { Exact::new(v.re, 0) };
    let (a, n) = (of_type(a, is_complex), a.rows);
    let is_hermitian = symmetry == Symmetry::Hermitian;
    let conj = |v: Exact| if is_hermitian { v.conj() } else { v };
    let alpha = part(alpha);
    let real = if is_hermitian { Exact::new(alpha.re, 0) } else { alpha };
    let (x, y): (Vec<Exact>, Vec<Exact>) =
        x.iter().zip(y).map(|(x, y)| (part(*x), part(*y))).unzip();
    let old = |i: usize, j: usize| {
        if i == j && is_hermitian { Exact::new(a.at(i, j).re, 0) } else { a.at(i, j) }
    };
    let numbers = |all: &[Exact]| all.iter().map(|v| number::<T>(*v)).collect::<Vec<T>>();
    for layout in [Layout::triangle(uplo, n, n), Layout::packed(uplo, n)] {
        let mut one = kept::<T>(&layout, &a);
        columns::syr(symmetry, number(real), &numbers(&x), &mut one);
        let wanted = Dense::new(n, n, |i, j| old(i, j) + real * x[i] * conj(x[j]));
        prop_assert_eq!(exact(&one.data), exact(&kept::<T>(&layout, &wanted).data));
        let mut two = kept::<T>(&layout, &a);
        columns::syr2(symmetry, number(alpha), &numbers(&x), &numbers(&y), &mut two);
        let wanted = Dense::new(n, n, |i, j| {
            old(i, j) + alpha * x[i] * conj(y[j]) + conj(alpha) * y[i] * conj(x[j])
        });
        prop_assert_eq!(exact(&two.data), exact(&kept::<T>(&layout, &wanted).data));
    }
    let mut all = kept::<T>(&Layout::general(n, n, n), &a);
    columns::ger(number(alpha), &numbers(&x), &numbers(&y), is_hermitian, &mut all);
    let wanted = Dense::new(n, n, |i, j| a.at(i, j) + alpha * x[i] * conj(y[j]));
    prop_assert_eq!(exact(&all.data), wanted.all);
    Ok(())
}

/// A shape, and matrices that fit it.
fn product_shape() -> impl Strategy<Value = ((Op, Op), Dense, Dense, Dense)> {
    (op(), op(), 0..20usize, 0..12usize, 0..20usize).prop_flat_map(|(a, b, m, n, k)| {
        let turned =
            |op: Op, rows, columns| if op == Op::None { (rows, columns) } else { (columns, rows) };
        let (of_a, of_b) = (turned(a, m, k), turned(b, k, n));
        (Just((a, b)), dense(of_a.0, of_a.1, true), dense(of_b.0, of_b.1, true), dense(m, n, true))
    })
}

fn scalars() -> impl Strategy<Value = [Exact; 2]> {
    let some = || prop_oneof![Just(Exact::new(0, 0)), value(true)];
    [some(), some()]
}

fn symmetry() -> impl Strategy<Value = Symmetry> {
    prop_oneof![Just(Symmetry::Symmetric), Just(Symmetry::Hermitian)]
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Left), Just(Side::Right)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_product_is_the_sum_of_its_definition((ops, a, b, c) in product_shape(), scalars in scalars()) {
        for_all_types!(check_gemm(ops, (&a, &b, &c), scalars));
    }

    #[test]
    fn a_triangle_stands_for_a_symmetric_or_hermitian_matrix(
        kind in (side(), uplo(), symmetry()),
        (m, n, scalars) in (0..9usize, 0..9usize, scalars()),
        seed in values(400, true),
    ) {
        let order = if kind.0 == Side::Left { m } else { n };
        let take = |rows, columns, from: usize| Dense::new(rows, columns, |i, j| seed[(from + j * rows + i) % 400]);
        let (a, b, c) = (take(order, order, 0), take(m, n, 100), take(m, n, 250));
        for_all_types!(check_symmetric(kind, (&a, &b, &c), scalars));
    }

    #[test]
    fn updates_of_rank_k_change_the_triangle_and_keep_its_kind(
        (uplo, is_turned) in (uplo(), any::<bool>()),
        (n, k, scalars) in (0..9usize, 0..9usize, scalars()),
        seed in values(400, true),
        symmetry in symmetry(),
    ) {
        let op = match (is_turned, symmetry) {
            (false, _) => Op::None,
            (true, Symmetry::Symmetric) => Op::Transposed,
            (true, Symmetry::Hermitian) => Op::Conjugated,
        };
        let take = |rows, columns, from: usize| Dense::new(rows, columns, |i, j| seed[(from + j * rows + i) % 400]);
        let (rows, columns) = if is_turned { (k, n) } else { (n, k) };
        let (a, b, c) = (take(rows, columns, 0), take(rows, columns, 100), take(n, n, 250));
        for_all_types!(check_rank_k((uplo, symmetry, op), (&a, &b, &c), scalars));
    }

    #[test]
    fn what_a_triangle_makes_of_a_matrix_it_takes_back(
        (side, uplo, op, is_unit) in (side(), uplo(), op(), any::<bool>()),
        (m, n) in (0..7usize, 0..7usize),
        seed in values(200, true),
    ) {
        let order = if side == Side::Left { m } else { n };
        let take = |rows, columns, from: usize| Dense::new(rows, columns, |i, j| {
            let v = seed[(from + j * rows + i) % 200];
            // Small ones: the solution stays exact in the narrowest type.
            Exact::new(v.re % 2, v.im % 2)
        });
        let (a, x) = (take(order, order, 0), take(m, n, 80));
        for_all_types!(check_triangle((side, Triangle { uplo, op, is_unit }), (&a, &x)));
    }

    #[test]
    fn a_band_is_a_matrix_with_nothing_beside_it(
        (op, m, n) in (op(), 0..9usize, 0..9usize),
        (below, above, scalars) in (0..5usize, 0..5usize, scalars()),
        seed in values(100, true),
    ) {
        let layout = Layout::band(m, n, [below, above], below + above + 1);
        let a = Dense::new(m, n, |i, j| seed[j * m + i]);
        for_all_types!(check_band((op, &layout), (&a, &seed[..20], &seed[30..50]), scalars));
    }

    #[test]
    fn updates_by_vectors_are_outer_products(
        kind in (uplo(), symmetry()), n in 0..8usize, seed in values(100, true), alpha in value(true),
    ) {
        let a = Dense::new(n, n, |i, j| seed[j * n + i]);
        for_all_types!(check_ranks(kind, (&a, &seed[70..70 + n], &seed[80..80 + n]), alpha));
    }

    #[test]
    fn products_of_integers_wrap_and_are_exact(
        (m, n, k) in (1..20usize, 1..9usize, 0..40usize), seed in proptest::collection::vec(any::<i8>(), 800),
    ) {
        let a: Vec<i32> = (0..m * k).map(|i| seed[i % 800].into()).collect();
        let b: Vec<i32> = (0..k * n).map(|i| seed[(i * 7 + 3) % 800].into()).collect();
        let c = warpsim_blas::product::product([m, n, k], &a, &b);
        for j in 0..n {
            for i in 0..m {
                let sum: i64 = (0..k).map(|l| i64::from(a[l * m + i]) * i64::from(b[j * k + l])).sum();
                prop_assert_eq!(i64::from(c[j * m + i]), sum);
            }
        }
    }

    #[test]
    fn sums_and_multiples_of_matrices((m, n) in (0..7usize, 0..7usize), ops in (op(), op()), seed in values(150, true), scalars in scalars()) {
        let turned = |op: Op| if op == Op::None { (m, n) } else { (n, m) };
        let (of_a, of_b) = (turned(ops.0), turned(ops.1));
        let a = Dense::new(of_a.0, of_a.1, |i, j| seed[j * of_a.0 + i]);
        let b = Dense::new(of_b.0, of_b.1, |i, j| seed[60 + j * of_b.0 + i]);
        let wanted = a.op(ops.0).scaled(scalars[0]).plus(&b.op(ops.1).scaled(scalars[1]));
        let all = matrices::geam(ops, [m, n], (number(scalars[0]), a.numbers::<C64>()), (number(scalars[1]), b.numbers()));
        prop_assert_eq!(exact(&all), wanted.all);
        let plain = Dense::new(m, n, |i, j| seed[j * m + i]);
        for side in [Side::Left, Side::Right] {
            let mut all = plain.numbers::<C32>();
            let x: Vec<C32> = seed[100..120].iter().map(|v| number(*v)).collect();
            matrices::dgmm(side, [m, n], &mut all, &x);
            let by = |i: usize, j: usize| seed[100 + if side == Side::Left { i } else { j }];
            prop_assert_eq!(exact(&all), Dense::new(m, n, |i, j| by(i, j) * plain.at(i, j)).all);
        }
    }
}
