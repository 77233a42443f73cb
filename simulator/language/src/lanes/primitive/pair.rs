//! Pairs: two register operations that follow each other, in one loop.
//!
//! The result of the first one is written to its register, and is still in the processor's when the
//! second one reads it. So all results are the same as one after the other, with fewer
//! instructions. A table says which operations go together: each of a first group, followed by each
//! of a second group, which may read the result or not. Lanes are independent, and so are the warps
//! of a gang.

use super::part::{
    AddU32, AddU64, AndB32, MadLoU32, MulLoU32, MulWideS32, MulWideU32, OrB32, Part, SetpEqB32,
    SetpLtS32, SetpLtU32, ShlB32, ShlB64, ShrU32, SubU32, XorB32,
};
use super::{Primitive, RegisterOperation};
use crate::lanes::simd::{Chained, Chosen, Form, tiered};
use crate::lanes::{Bank, Constants, Gang, Operands, Slot, Tier, Tiered};

/// The operands of both.
#[derive(Clone, Copy, Debug)]
struct Both {
    first: Operands,
    then: Operands,
    /// Their sources, as the loop reads them.
    first_from: [Slot; 3],
    then_from: [Slot; 3],
    /// The constants that the loop has as numbers; 0 where it has none.
    constants: [u32; 2],
    /// How the second one comes from the loop.
    form: Form,
    /// The loops of the two alone.
    alone: [Chosen; 2],
}

/// Two register operations of a program that follow each other, executed by one loop.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    run: Chosen<Both>,
    chained: bool,
    operands: Both,
}

/// What may be done first.
struct First {
    form: fn(Primitive) -> Option<Form>,
    sources: fn(&Operands, Form) -> [Slot; 3],
    below: Option<u32>,
    then: &'static [Then],
}

/// What may be done then, with what has been computed first as the source of a number.
struct Then {
    form: fn(Primitive) -> Option<Form>,
    sources: fn(&Operands, Form) -> [Slot; 3],
    below: Option<u32>,
    commutes: bool,
    at: usize,
    run: Tiered<Both>,
}

/// The source number when no source is the result of the first operation.
const NONE: usize = 3;

/// What can be done after `F`, with its result as the source of the number `AT`.
const fn then<F: Part<To: Bank>, S: Part<From: Chained<F::To>>, const AT: usize>() -> Then {
    let run = tiered!(
        [F: Part<To: Bank>, S: Part<From: Chained<F::To>>, const AT: usize] [F, S, AT]
        |r, o: Both| {
            let [b, then_b] = o.constants;
            let body = F::body((o.first.flags, r.code()), Form::new(Form::AS_IT_IS), b);
            let then_body = S::body((o.then.flags, r.code()), o.form, then_b);
            r.apply_two::<F::From, F::To, S::From, S::To, AT>(
                (F::from(o.first_from), o.first.d, body),
                (S::from(o.then_from), S::to(&o.then), then_body),
            )
        }
    );
    let run = run.without_avx512().with_baseline(one_after_the_other);
    let (form, sources) = (S::form, S::sources);
    Then { form, sources, below: S::BELOW, commutes: S::COMMUTES, at: AT, run }
}

/// Executes both by their own loops. Processors without AVX2 do this: loops of pairs would be a
/// tenth of all code of lane loops.
fn one_after_the_other(gang: &mut Gang<'_, '_>, both: &Both) {
    let [first, then] = both.alone;
    first.run(gang, &both.first);
    then.run(gang, &both.then);
}

/// A row for each of some operations, with what may follow, and at which of its sources.
macro_rules! pairs {
    ($([$($first:ident)*] then $then:tt;)*) => {
        &[$($(pairs!(@ $first $then)),*),*]
    };
    (@ $first:ident [$($then:ident $at:ident),* $(,)?]) => {
        First {
            form: <$first as Part>::form,
            sources: <$first as Part>::sources,
            below: <$first as Part>::BELOW,
            then: &[$(then::<$first, $then, { pairs!(@ $at) }>()),*],
        }
    };
    (@ a) => { 0 };
    (@ b) => { 1 };
    (@ c) => { 2 };
    (@ none) => { NONE };
}

/// All pairs. Where two operations commute, what was computed first is the first source.
const PAIRS: &[First] = pairs! {
    [ShlB32 ShrU32 AndB32 OrB32 XorB32 AddU32 SubU32 MulLoU32 MadLoU32] then [
        AndB32 a, OrB32 a, XorB32 a, AddU32 a, AddU32 none, SubU32 a, SubU32 b,
        MadLoU32 a, MadLoU32 c, ShlB32 a, ShrU32 a,
        SetpEqB32 a, SetpLtU32 a, SetpLtU32 b, SetpLtS32 a, SetpLtS32 b,
    ];
    [AddU32] then [SetpEqB32 none, SetpLtU32 none, SetpLtS32 none];
    [MulWideU32 MulWideS32 AddU64 ShlB64] then [AddU64 a];
};

impl Pair {
    /// Two operations of a program with these constants, if there is a loop for them.
    pub fn of(
        first: &RegisterOperation,
        then: &RegisterOperation,
        constants: &Constants,
    ) -> Option<Pair> {
        Pair::with_tier(first, then, constants, Tier::in_use())
    }

    /// The same, executed with the instructions of a tier, or of the best that the processor has.
    pub fn with_tier(
        first: &RegisterOperation,
        then: &RegisterOperation,
        constants: &Constants,
        tier: Tier,
    ) -> Option<Pair> {
        let (entry, operands) = found(first, then, constants, tier)?;
        Some(Pair { run: entry.run.of(tier), chained: entry.at != NONE, operands })
    }

    /// Whether the second one reads what the first one computes.
    pub fn is_chained(&self) -> bool {
        self.chained
    }

    /// Executes both, one after the other, for the active lanes of each warp of a gang.
    #[inline(always)]
    pub fn drive(&self, gang: &mut Gang<'_, '_>) {
        self.run.run(gang, &self.operands);
    }
}

/// The second operand, if it must be a constant below a limit; `None` if it is not, and 0 if there
/// is no limit.
fn constant_below(o: &Operands, limit: Option<u32>, constants: &Constants) -> Option<u32> {
    let Some(limit) = limit else { return Some(0) };
    let lanes = constants.w32.get(o.b.index()).filter(|_| o.b.is_constant())?;
    Some(lanes[0]).filter(|constant| *constant < limit)
}

/// The entry for two operations, and their operands, for a tier.
fn found(
    first: &RegisterOperation,
    then: &RegisterOperation,
    constants: &Constants,
    tier: Tier,
) -> Option<(&'static Then, Both)> {
    let (o, next) = (*first.operands(), *then.operands());
    let alone = [first, then].map(|operation| operation.primitive().run().of(tier));
    PAIRS.iter().find_map(|row| {
        let form = (row.form)(first.primitive())?;
        let b = constant_below(&o, row.below, constants)?;
        let first_from = (row.sources)(&o, form);
        row.then.iter().find_map(|entry| {
            let form = (entry.form)(then.primitive())?;
            let then_b = constant_below(&next, entry.below, constants)?;
            let mut next = next;
            if entry.commutes && next.a != o.d && next.b == o.d {
                (next.a, next.b) = (next.b, next.a);
            }
            let then_from = (entry.sources)(&next, form);
            // It may read the result twice: the second time from the register.
            let fits = match then_from.get(entry.at) {
                Some(source) => *source == o.d,
                None => true,
            };
            let constants = [b, then_b];
            let operands =
                Both { first: o, then: next, first_from, then_from, constants, form, alone };
            fits.then_some((entry, operands))
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::lanes::{Constants, LANES, Member, Registers, SlotCounts};

    /// Numbers that look random.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            self.0 ^ self.0 >> 29
        }

        /// A slot of few, so that operands are often the same.
        fn slot(&mut self, constant: bool) -> Slot {
            let index = (self.next() >> 33) as usize % 3;
            if constant { Slot::constant(index) } else { Slot::register(index) }
        }

        fn word(&mut self) -> u32 {
            let word = self.next();
            // Small ones too, which are amounts to shift by, and are often equal.
            if word & 1 == 0 { (word >> 40) as u32 % 40 } else { (word >> 20) as u32 }
        }

        fn registers(&mut self, constants: &Arc<Constants>) -> Registers {
            let counts = SlotCounts { w32: 3, w64: 3, predicates: 3 };
            let mut registers = Registers::new(counts, Arc::clone(constants));
            registers.w32.iter_mut().flatten().for_each(|word| *word = self.word());
            let wide = registers.w64.iter_mut().flatten();
            wide.for_each(|word| *word = u64::from(self.word()) << 32 | u64::from(self.word()));
            registers.predicates.iter_mut().for_each(|mask| *mask = self.next() as u32);
            registers
        }

        fn operands(&mut self, constant: bool) -> Operands {
            let is_constant = |numbers: &mut Numbers| numbers.next() >> 40 & 3 == 0;
            let [a, b, c] = [(); 3].map(|()| is_constant(self));
            Operands {
                d: self.slot(false),
                d2: self.slot(false),
                a: self.slot(a),
                b: self.slot(b || constant),
                c: self.slot(c),
                ..Operands::default()
            }
        }
    }

    fn constants(numbers: &mut Numbers) -> Arc<Constants> {
        let w32 = (0..3).map(|_| [numbers.word(); LANES]).collect();
        let w64 = (0..3).map(|_| [numbers.next(); LANES]).collect();
        Arc::new(Constants { w32, w64, predicates: vec![0, u32::MAX, 0] })
    }

    /// Operations that come from a row or an entry of the table.
    fn primitives(form: fn(Primitive) -> Option<Form>) -> Vec<Primitive> {
        Primitive::all().filter(|primitive| form(*primitive).is_some()).collect()
    }

    #[test]
    fn a_pair_leaves_what_one_after_the_other_leaves() {
        let mut numbers = Numbers(1);
        let constants = constants(&mut numbers);
        let mut compared = 0;
        for (row, first) in PAIRS.iter().enumerate() {
            for (entry, then) in first.then.iter().enumerate() {
                for (first, then) in primitives(first.form)
                    .into_iter()
                    .flat_map(|p| primitives(then.form).into_iter().map(move |q| (p, q)))
                {
                    for _ in 0..60 {
                        let o = [
                            numbers.operands(PAIRS[row].below.is_some()),
                            numbers.operands(PAIRS[row].then[entry].below.is_some()),
                        ];
                        let single = RegisterOperation::new(first, o[0]);
                        let next = RegisterOperation::new(then, o[1]);
                        if found(&single, &next, &constants, Tier::Baseline).is_none() {
                            continue;
                        }
                        compared += 1;
                        let warps = [(); 3].map(|()| numbers.registers(&constants));
                        let masks = [u32::MAX, 0, numbers.next() as u32];
                        for tier in Tier::available() {
                            let [mut a, mut b] = [warps.clone(), warps.clone()];
                            let mut members = a
                                .iter_mut()
                                .zip(masks)
                                .map(|(r, mask)| Member::new(r, mask))
                                .collect::<Vec<_>>();
                            Pair::with_tier(&single, &next, &constants, tier)
                                .unwrap()
                                .drive(&mut Gang::new(&mut members).unwrap());
                            for (registers, mask) in b.iter_mut().zip(masks) {
                                RegisterOperation::with_tier(first, o[0], tier)
                                    .execute(registers, mask);
                                RegisterOperation::with_tier(then, o[1], tier)
                                    .execute(registers, mask);
                            }
                            assert_eq!(a, b, "{first} {then} {o:?} {tier}");
                        }
                    }
                }
            }
        }
        assert!(compared > 1000, "{compared} pairs");
    }
}
