//! An access against what was done to its words before: what conflicts with it and is not ordered before it (PTX ISA
//! 8.7.1 "Conflict and data-races", 8.9.5 "Causality order").

use std::sync::Arc;

use super::blocks::Words;
use super::clock::Knowledge;
use super::conflict::{Conflict, Conflicts, End, Pattern};
use super::element::Element;
use super::filter::Candidates;
use super::history::{Member, Word};
use super::location::{self, Location, Performed};
use super::operation::{Class, Kind, Reach, Weakness, acquires, weakness};
use super::policy::Policy;
use super::thread::Thread;
use crate::report::Hazard;

/// Conflicts of one word after which no more are looked for: what is wrong with it is known.
const ENOUGH: u32 = 256;

/// What is judged, by what, and what comes of it.
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
            let mut reach = acquires(order).then_some(class.strong).flatten();
            if let Some(reach) = reach {
                self.conflicts.acquired(thread, &class, reach);
            }
            if class.kind.writes() {
                let location = word.location.as_deref();
                reach = location::release_reach(&element.performed, by, location);
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
                word.forget(&class, thread, by);
            }
            let Element { pc, value, update, .. } = element;
            word.record(class, Member { thread, step, pc, value, reach, update });
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
    let Performed { class, thread, .. } = element.performed;
    if word.reported >= ENOUGH {
        return;
    }
    let location = word.location.as_deref();
    for group in word.groups.iter().filter(|g| g.class.conflicts(&class)) {
        // A pair of words is judged in the first that both touch.
        if group.class.address.max(class.address) / 4 != number {
            continue;
        }
        let update = is_update(group.class.kind, class.kind);
        if update == Some(false) && always_morally_strong(&group.class, &class) {
            continue;
        }
        let stale = class.non_coherent && group.class.kind.writes();
        for member in group.members.iter() {
            let is_mended = policy.orders(member.thread, thread);
            let is_ordered = member.thread == thread && !thread.is_copy()
                || by.knows.of(member.thread) >= member.step
                || is_mended;
            let was_seen = group.class.kind.writes()
                && location.is_some_and(|l| l.was_seen(&group.class, member.step, thread, by));
            let is_unfenced = !is_mended
                && fenced.is_some_and(|fenced| {
                    let is_of_threads = group.class.kind.writes() && !member.thread.is_copy();
                    is_of_threads
                        && class.kind == Kind::Read
                        && fenced.of(member.thread) < member.step
                });
            if (is_ordered || was_seen) && !stale && !is_unfenced {
                continue;
            }
            let weakness = match is_ordered && is_unfenced {
                true => Some(Weakness::AsyncProxy),
                false => weakness((&group.class, member.thread), (&class, thread)),
            };
            let loses_nothing = match update {
                Some(true) => is_lock(element, member) || is_awaited(element, member),
                Some(false) => true,
                None => false,
            };
            if weakness.is_none() && loses_nothing {
                continue;
            }
            let conflict = conflict(element, &group.class, member, weakness);
            if weakness.is_some() {
                word.reported += 1;
                conflicts.report(conflict);
            } else {
                match pattern(element, &group.class, member, by, location, policy) {
                    Some(pattern) => conflicts.report_unless_synchronisation(conflict, pattern),
                    None => conflicts.report(conflict),
                }
            }
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
    is_atomic && element.update.is_some_and(|update| update.waits_for(store.value))
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
    let is_copy = member.thread.is_copy() || element.performed.thread.is_copy();
    let stores = class.kind == Kind::Write && later.kind == Kind::Write && !is_copy;
    Conflict {
        weakness,
        hazard,
        space: element.space,
        address,
        bytes: end - address,
        earlier: End { thread: member.thread, pc: member.pc, class: *class, step: member.step },
        later: End {
            thread: element.performed.thread,
            pc: element.pc,
            class: later,
            step: element.performed.step,
        },
        count: 1,
        is_same_value: stores && class.coincides(&later) && member.value == element.value,
        after: Vec::new(),
        before: Vec::new(),
        was_waited_for: false,
    }
}

/// How the two stand in release and acquire patterns; `None` when neither gives its thread what it
/// read.
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
            reader: thread,
            acquired: acquires(order).then_some(policy.strength(later.strong)).flatten(),
            read_at: step,
            may_be_poll: false,
        }),
        (Kind::Read | Kind::Atomic, Kind::Write) if member.update.is_none_or(|u| u.is_seen) => {
            Some(Pattern {
                writer: thread,
                released: location::release_reach(&element.performed, by, location),
                reader: member.thread,
                acquired: match member.update {
                    Some(update) => update.acquired,
                    None => member.reach,
                },
                read_at: member.step,
                may_be_poll: member.update.is_some_and(|u| u.waits_for(element.value)),
            })
        }
        _ => None,
    }
}
