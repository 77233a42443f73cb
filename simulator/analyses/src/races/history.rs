//! Who has accessed the bytes of a word, as far as it can still matter.
//!
//! An access is forgotten when a later one of any thread replaces it: the later one is ordered
//! after it, covers its bytes, and conflicts with whatever it would conflict with. Accesses of one
//! class are kept together, so an access that cannot conflict with a class does not look at its
//! members.

use super::clock::{Knowledge, Step};
use super::location::Location;
use super::operation::{Class, Kind, Reach};
use super::thread::{Thread, ThreadId};
use super::update::Update;
use crate::lower::{Order, Pc};

/// The last access of a thread in a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Who.
    pub thread: ThreadId,
    /// When.
    pub step: Step,
    /// The instruction.
    pub pc: Pc,
    /// Of a store: the bytes that it put there, as a number (see [`in_one_word`]). `None` where
    /// they are not known: of atomics and copies, and of what an mbarrier object holds.
    ///
    /// [`in_one_word`]: super::element::in_one_word
    pub value: Option<u64>,
    /// How strong it is.
    pub order: Order,
    /// Of a strong write: the reach of the release pattern it belongs to. Of a strong read that
    /// acquires: its reach.
    pub reach: Option<Reach>,
    /// Of a strong write: the pattern rests on a fence that has served for a lock already.
    pub is_spent: bool,
    /// For an atomic: its operation. For a strong store that releases a lock: the atomic that took
    /// the lock.
    pub update: Option<Update>,
}

/// The accesses of one class.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// What they are.
    pub class: Class,
    /// Ascending by thread.
    pub members: Vec<Member>,
    /// The value that all of them wrote, if it is one value.
    pub value: Option<u64>,
}

impl Group {
    /// Whether all of it are stores of the value that a store of this class writes.
    pub(super) fn agrees(&self, class: &Class, value: Option<u64>) -> bool {
        is_same_value((&self.class, self.value), (class, value))
    }
}

/// Whether two operations are stores that put the same bytes at the same place.
pub(super) fn is_same_value(
    (a, first): (&Class, Option<u64>),
    (b, second): (&Class, Option<u64>),
) -> bool {
    let are_stores = a.kind == Kind::Write && b.kind == Kind::Write;
    are_stores && a.coincides(b) && first.is_some() && first == second
}

/// The history of a word.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// Who accessed it.
    pub groups: Vec<Group>,
    /// What its last write carries.
    pub location: Option<Box<Location>>,
    /// Conflicts reported so far, except those below.
    pub reported: u32,
    /// Conflicts of stores of one value so far, without the conflicts of one instruction of a warp.
    pub agreeing: u32,
    /// The last write that was forgotten because of a write of another value. A thread that writes
    /// the new value, too, may not be ordered with the forgotten write.
    pub overwritten: Option<Box<(Class, Member)>>,
}

impl Word {
    /// The atomic by which the word was taken that a thread is about to store to: the last write of
    /// these bytes that happens before.
    pub(super) fn taken_by(&self, class: &Class, thread: ThreadId, by: &Thread) -> Option<Update> {
        let writes = |g: &&Group| g.class.kind.writes() && g.class.coincides(class);
        let written = self.groups.iter().filter(writes).flat_map(|group| {
            let is_before = |m: &&Member| m.thread == thread || by.knows.of(m.thread) >= m.step;
            group.members.iter().filter(is_before).map(|member| (group.class.kind, member))
        });
        let (kind, last) = written.max_by_key(|(_, member)| member.step)?;
        last.update.filter(|update| kind == Kind::Atomic && update.is_seen)
    }

    /// Notes an access.
    pub(super) fn record(&mut self, class: Class, member: Member) {
        let group = match self.groups.iter_mut().position(|g| g.class == class) {
            Some(at) => &mut self.groups[at],
            None => {
                self.groups.push(Group { class, members: Vec::new(), value: member.value });
                let last = self.groups.len() - 1;
                &mut self.groups[last]
            }
        };
        if group.value != member.value {
            group.value = None;
        }
        match group.members.binary_search_by_key(&member.thread, |m| m.thread) {
            Ok(at) => group.members[at] = member,
            Err(at) => group.members.insert(at, member),
        }
    }

    /// Forgets the writes that were seen before a write of this class by this thread. It comes
    /// after them in coherence order, and who sees it comes after them, too.
    pub(super) fn forget_seen(&mut self, class: &Class, thread: ThreadId, by: &Thread) {
        let Some(location) = &self.location else { return };
        let written = |g: &&mut Group| g.class.kind.writes() && class.stands_for(&g.class);
        for group in self.groups.iter_mut().filter(written) {
            let seen = |m: &Member| location.was_seen(&group.class, m.step, thread, by);
            group.members.retain(|m| !seen(m));
        }
        self.groups.retain(|g| !g.members.is_empty());
    }

    /// Forgets all but the copies that these do not know, and the writes that no proxy fence has
    /// followed, if that matters. Whether there are any.
    pub(super) fn keep(&mut self, known: &Knowledge, fenced: Option<&Knowledge>) -> bool {
        for group in &mut self.groups {
            let writes = group.class.kind.writes();
            group.members.retain(|m| match m.thread.is_copy() {
                true => known.of(m.thread) < m.step,
                false => writes && fenced.is_some_and(|fenced| fenced.of(m.thread) < m.step),
            });
        }
        self.groups.retain(|g| !g.members.is_empty());
        self.overwritten = None;
        !self.groups.is_empty()
    }

    /// Forgets the accesses that a write of this class and value by this thread covers.
    pub(super) fn forget(
        &mut self,
        class: &Class,
        value: Option<u64>,
        thread: ThreadId,
        by: &Thread,
    ) {
        let mut overwritten: Option<(Class, Member)> = None;
        for group in self.groups.iter_mut().filter(|g| class.stands_for(&g.class)) {
            let of = group.class;
            group.members.retain(|m| {
                let is_kept = m.thread != thread && by.knows.of(m.thread) < m.step;
                let leaves_another = !is_same_value((&of, m.value), (class, value));
                let is_last = overwritten.is_none_or(|(_, last)| last.step < m.step);
                if !is_kept && of.kind.writes() && leaves_another && is_last {
                    overwritten = Some((of, *m));
                }
                is_kept
            });
        }
        self.groups.retain(|g| !g.members.is_empty());
        if let Some(overwritten) = overwritten {
            self.overwritten = Some(Box::new(overwritten));
        }
    }
}
