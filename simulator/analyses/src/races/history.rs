//! Who has accessed the bytes of a word, as far as it can still matter.
//!
//! An access is forgotten when a later one of any thread stands for it: is ordered after it, covers
//! its bytes, and conflicts with whatever it would conflict with. Accesses of one class are kept
//! together, so that an access that cannot conflict with a class does not look at its members.

use super::clock::{Knowledge, Step};
use super::location::Location;
use super::operation::{Class, Kind, Reach};
use super::thread::{Thread, ThreadId};
use super::update::Update;
use crate::lower::Pc;

/// The last access of a thread in a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Who.
    pub thread: ThreadId,
    /// When.
    pub step: Step,
    /// The instruction.
    pub pc: Pc,
    /// What was written, up to eight bytes of it.
    pub value: u64,
    /// Of a strong write: the reach of the release pattern it belongs to. Of a strong read that
    /// acquires: its reach.
    pub reach: Option<Reach>,
    /// Of an atomic: what it does. Of a strong store: the atomic by which the word was taken that it
    /// gives back.
    pub update: Option<Update>,
}

/// The accesses of one class.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// What they are.
    pub class: Class,
    /// Ascending by thread.
    pub members: Vec<Member>,
}

/// The history of a word.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// Who accessed it.
    pub groups: Vec<Group>,
    /// What its last write carries.
    pub location: Option<Box<Location>>,
    /// Conflicts reported so far.
    pub reported: u32,
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
                self.groups.push(Group { class, members: Vec::new() });
                let last = self.groups.len() - 1;
                &mut self.groups[last]
            }
        };
        match group.members.binary_search_by_key(&member.thread, |m| m.thread) {
            Ok(at) => group.members[at] = member,
            Err(at) => group.members.insert(at, member),
        }
    }

    /// Forgets the writes that were seen before a write of this class by this thread. It comes after
    /// them in coherence order, and who sees it comes after them, too.
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
    /// followed, where that matters. Whether there are any.
    pub(super) fn keep(&mut self, known: &Knowledge, fenced: Option<&Knowledge>) -> bool {
        for group in &mut self.groups {
            let writes = group.class.kind.writes();
            group.members.retain(|m| match m.thread.is_copy() {
                true => known.of(m.thread) < m.step,
                false => writes && fenced.is_some_and(|fenced| fenced.of(m.thread) < m.step),
            });
        }
        self.groups.retain(|g| !g.members.is_empty());
        !self.groups.is_empty()
    }

    /// Forgets what an access of this class by this thread stands for.
    pub(super) fn forget(&mut self, class: &Class, thread: ThreadId, by: &Thread) {
        for group in self.groups.iter_mut().filter(|g| class.stands_for(&g.class)) {
            group.members.retain(|m| m.thread != thread && by.knows.of(m.thread) < m.step);
        }
        self.groups.retain(|g| !g.members.is_empty());
    }
}
