//! An access against the earlier accesses to its words: which of them conflict with it and are not
//! ordered before it (PTX ISA 8.7.1 "Conflict and data-races", 8.9.5 "Causality order").

use std::collections::BTreeSet;
use std::sync::Arc;

use super::blocks::Words;
use super::clock::Knowledge;
use super::conflict::{Conflict, Conflicts, End, Pattern, Verdict};
use super::element::Element;
use super::filter::Candidates;
use super::history::{Member, Word, is_same_value};
use super::location::{self, Location, Performed};
use super::operation::{Class, Kind, Reach, Weakness, acquires, weakness};
use super::policy::Policy;
use super::thread::Thread;
use super::update::Update;
use crate::report::{Hazard, Mend};

/// After this many conflicts of one word, none is looked for: the mistake in it is known.
const ENOUGH: u32 = 256;

/// The state that a judgement needs and the conflicts that it adds to.
pub(super) struct Judge<'a> {
    pub(super) conflicts: &'a mut Conflicts,
    pub(super) candidates: Option<&'a Candidates>,
    /// Of a copy in bulk: what proxy fences have made visible to it.
    pub(super) fenced: Option<Arc<Knowledge>>,
    pub(super) policy: Policy,
}

impl Judge<'_> {
    pub(super) fn perform(&mut self, element: &Element, by: &mut Thread, words: &mut Words) {
        let Performed { class, thread, step, order, .. } = element.performed;
        let (first, last) = (class.address / 4, (class.address + u64::from(class.bytes) - 1) / 4);
        for number in first..=last {
            let is_candidate = |c: &Candidates| c.contains(element.space, thread.block(), number);
            if !self.candidates.is_none_or(is_candidate) {
                // It cannot race, but it may synchronise.
                if class.strong.is_some() || words.contains_key(&number) {
                    let location = &mut words.entry(number).or_default().location;
                    if number == first {
                        location::perform(location, &element.performed, by, self.policy);
                    } else if class.kind.writes() {
                        *location = None;
                    }
                }
                continue;
            }
            let word = words.entry(number).or_default();
            let mut element = *element;
            if class.kind == Kind::Write && class.strong.is_some() {
                element.update = word.taken_by(&class, thread, by);
            }
            if class.kind == Kind::Atomic {
                self.conflicts.tried_again(thread, &class, element.pc);
            }
            let fenced = self.fenced.as_deref();
            judge(word, number, &element, (by, fenced), self.conflicts, self.policy);
            let mut is_spent = false;
            let mut reach = acquires(order).then_some(class.strong).flatten();
            if let Some(reach) = reach {
                self.conflicts.acquired(thread, &class, reach);
            }
            if class.kind.writes() {
                let location = word.location.as_deref();
                (reach, is_spent) = location::release_reach(&element.performed, by, location);
            }
            if class.kind == Kind::Write {
                word.forget_seen(&class, thread, by);
            }
            if number == first {
                location::perform(&mut word.location, &element.performed, by, self.policy);
            } else if class.kind.writes() {
                word.location = None;
            }
            if class.kind.writes() {
                word.forget(&class, element.value, thread, by);
            }
            let Element { pc, value, update, .. } = element;
            word.record(class, Member { thread, step, pc, value, order, reach, is_spent, update });
        }
        // The fence before it is for the store that gives back a lock. It is not for anything
        // later.
        if class.kind.writes() && class.strong.is_some() {
            let update = element.update.as_ref();
            by.gave_back |= by.held.changes(class.address, update, element.value);
        }
    }
}

/// Looks for what conflicts with an access and is not ordered before it.
fn judge(
    word: &mut Word,
    number: u64,
    element: &Element,
    (by, fenced): (&Thread, Option<&Knowledge>),
    conflicts: &mut Conflicts,
    policy: Policy,
) {
    let class = element.performed.class;
    if word.reported >= ENOUGH {
        return;
    }
    let location = word.location.as_deref();
    let judged = Judged { element, by, fenced, location, policy };
    // Whether stores of one value conflict.
    let mut agree = false;
    for group in word.groups.iter().filter(|g| g.class.conflicts(&class)) {
        // A pair of words is judged in the first that both touch.
        if group.class.address.max(class.address) / 4 != number {
            continue;
        }
        if is_update(group.class.kind, class.kind) == Some(false)
            && always_morally_strong(&group.class, &class)
        {
            continue;
        }
        if word.agreeing >= ENOUGH && group.agrees(&class, element.value) {
            agree = true;
            continue;
        }
        for member in &group.members {
            let Some(conflict) = judged.conflict_with(&group.class, member) else { continue };
            agree |= conflict.is_same_value;
            match (conflict.is_same_value, conflict.weakness) {
                (true, _) => word.agreeing += u32::from(!conflict.is_one_instruction),
                (false, Some(_)) => word.reported += 1,
                (false, None) => {}
            }
            judged.report(conflict, member, conflicts);
        }
    }
    // The stores agree now; another thread may have stored something else in between.
    if agree
        && let Some((class, member)) = word.overwritten.as_deref()
        && let Some(conflict) = judged.conflict_with(class, member)
        && !conflict.is_same_value
    {
        judged.report(conflict, member, conflicts);
    }
}

/// An access that is judged.
struct Judged<'a> {
    element: &'a Element,
    /// Its thread.
    by: &'a Thread,
    /// Of a copy in bulk: what proxy fences have made visible to it.
    fenced: Option<&'a Knowledge>,
    location: Option<&'a Location>,
    policy: Policy,
}

impl Judged<'_> {
    /// The conflict with an earlier access, if there is one: they are not ordered, and may depend
    /// on each other.
    fn conflict_with(&self, of: &Class, member: &Member) -> Option<Conflict> {
        let Judged { element, by, fenced, location, policy } = *self;
        let Performed { class, thread, .. } = element.performed;
        let stale = class.non_coherent && of.kind.writes();
        let is_mended = policy.orders(member.thread, thread);
        let is_ordered = member.thread == thread && !thread.is_copy()
            || by.knows.of(member.thread) >= member.step
            || is_mended;
        let was_seen =
            of.kind.writes() && location.is_some_and(|l| l.was_seen(of, member.step, thread, by));
        let is_unfenced = !is_mended
            && fenced.is_some_and(|fenced| {
                let is_of_threads = of.kind.writes() && !member.thread.is_copy();
                is_of_threads && class.kind == Kind::Read && fenced.of(member.thread) < member.step
            });
        if (is_ordered || was_seen) && !stale && !is_unfenced {
            return None;
        }
        let weakness = match is_ordered && is_unfenced {
            true => Some(Weakness::AsyncProxy),
            false => weakness((of, member.thread), (&class, thread)),
        };
        let loses_nothing = match is_update(of.kind, class.kind) {
            Some(true) => is_lock(element, member) || is_awaited(element, member),
            Some(false) => true,
            None => false,
        };
        let is_none = weakness.is_none() && loses_nothing;
        (!is_none).then(|| conflict(element, of, member, weakness))
    }

    /// Notes a conflict, unless it is none: synchronisation, or morally strong stores of one value,
    /// which have the same result in each order.
    fn report(&self, conflict: Conflict, member: &Member, conflicts: &mut Conflicts) {
        if conflict.weakness.is_some() {
            return conflicts.report(conflict);
        }
        if conflict.is_same_value {
            return;
        }
        let Judged { element, by, location, policy, .. } = *self;
        let class = conflict.earlier.class;
        match pattern(element, &class, member, by, location, policy) {
            Some(pattern) => conflicts.report_unless_synchronisation(conflict, pattern),
            None => conflicts.report(conflict),
        }
    }
}

/// Of two operations, one of them an atomic: whether the other is a store, which may lose what the
/// atomic does. `None` when neither is an atomic.
fn is_update(a: Kind, b: Kind) -> Option<bool> {
    (a.max(b) == Kind::Atomic).then(|| a.min(b) == Kind::Write)
}

/// Whether of a strong store and an atomic the store leaves a lock that the atomic cannot take
/// before.
fn is_lock(element: &Element, member: &Member) -> bool {
    match (element.update, member.update) {
        (Some(one), Some(other)) => match element.performed.class.kind {
            Kind::Write => one.shuts_out(&other),
            Kind::Read | Kind::Atomic => other.shuts_out(&one),
        },
        _ => false,
    }
}

/// Whether an atomic waits for what an earlier store has put there.
fn is_awaited(element: &Element, store: &Member) -> bool {
    let is_atomic = element.performed.class.kind == Kind::Atomic;
    let waits = |update: Update| store.value.is_some_and(|value| update.waits_for(value));
    is_atomic && element.update.is_some_and(waits)
}

/// Whether two operations are morally strong whichever threads do them.
fn always_morally_strong(a: &Class, b: &Class) -> bool {
    let wide = Some(Reach::Device);
    (a.strong, b.strong) == (wide, wide) && a.coincides(b)
}

fn conflict(
    element: &Element,
    class: &Class,
    member: &Member,
    weakness: Option<Weakness>,
) -> Conflict {
    let later = element.performed.class;
    let address = class.address.max(later.address);
    let end = (class.address + u64::from(class.bytes)).min(later.address + u64::from(later.bytes));
    let hazard = match (class.kind.writes(), later.kind) {
        (true, Kind::Read) => Hazard::ReadAfterWrite,
        (false, _) => Hazard::WriteAfterRead,
        (true, _) => Hazard::WriteAfterWrite,
    };
    let Performed { thread, order, step, .. } = element.performed;
    let is_plain = matches!(weakness, None | Some(Weakness::Weak { .. }));
    let is_same_value = is_plain && is_same_value((class, member.value), (&later, element.value));
    let is_one_warp = thread.least_mend(member.thread) == Mend::Warp;
    Conflict {
        verdict: if weakness.is_some() { Verdict::Race } else { Verdict::Unordered },
        weakness,
        hazard,
        space: element.space,
        address,
        bytes: end - address,
        earlier: End {
            thread: member.thread,
            pc: member.pc,
            class: *class,
            order: member.order,
            step: member.step,
        },
        later: End { thread, pc: element.pc, class: later, order, step },
        count: 1,
        is_same_value,
        is_spent: false,
        is_one_instruction: is_same_value && is_one_warp && member.pc == element.pc,
        after: Vec::new(),
        before: Vec::new(),
        third: None,
        was_waited_for: false,
        words: BTreeSet::new(),
    }
}

/// How the two take part in release and acquire patterns; `None` when neither gives its thread what
/// it read.
fn pattern(
    element: &Element,
    class: &Class,
    member: &Member,
    by: &Thread,
    location: Option<&Location>,
    policy: Policy,
) -> Option<Pattern> {
    let Performed { class: later, thread, step, order, is_seen } = element.performed;
    match (class.kind, later.kind) {
        (Kind::Write, Kind::Read | Kind::Atomic) if is_seen => Some(Pattern {
            writer: member.thread,
            released: member.reach,
            is_spent: member.is_spent,
            reader: thread,
            acquired: acquires(order).then_some(policy.strength(later.strong)).flatten(),
            read_at: step,
            may_be_poll: false,
        }),
        (Kind::Read | Kind::Atomic, Kind::Write) if member.update.is_none_or(|u| u.is_seen) => {
            let (released, is_spent) = location::release_reach(&element.performed, by, location);
            Some(Pattern {
                writer: thread,
                released,
                is_spent,
                reader: member.thread,
                acquired: match member.update {
                    Some(update) => update.acquired,
                    None => member.reach,
                },
                read_at: member.step,
                may_be_poll: match (member.update, element.value) {
                    (Some(update), Some(value)) => update.waits_for(value),
                    (None, _) | (_, None) => false,
                },
            })
        }
        _ => None,
    }
}
