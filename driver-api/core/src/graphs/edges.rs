//! The edges of a graph, by the nodes at both of their ends.

use std::collections::BTreeSet;

use crate::Handle;

/// Which nodes come right before which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    /// Pairs of the node that an edge leaves and the node that it reaches.
    forward: BTreeSet<(Handle, Handle)>,
    /// The same pairs in the other direction.
    back: BTreeSet<(Handle, Handle)>,
}

impl Edges {
    /// Adds an edge from one node to another. Whether there was none.
    pub(super) fn insert(&mut self, from: Handle, to: Handle) -> bool {
        self.back.insert((to, from));
        self.forward.insert((from, to))
    }

    /// Takes an edge away. Whether there was one.
    pub(super) fn remove(&mut self, from: Handle, to: Handle) -> bool {
        self.back.remove(&(to, from));
        self.forward.remove(&(from, to))
    }

    pub(super) fn contains(&self, from: Handle, to: Handle) -> bool {
        self.forward.contains(&(from, to))
    }

    /// All edges, each from its first node to its second, in the order of the handles.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Handle, Handle)> {
        self.forward.iter().copied()
    }

    /// The nodes right before one.
    pub(crate) fn before(&self, node: Handle) -> impl Iterator<Item = Handle> {
        self.back.range((node, 0)..=(node, Handle::MAX)).map(|(_, from)| *from)
    }

    /// The nodes right behind one.
    pub(crate) fn behind(&self, node: Handle) -> impl Iterator<Item = Handle> {
        self.forward.range((node, 0)..=(node, Handle::MAX)).map(|(_, to)| *to)
    }

    /// Takes all edges of a node away.
    pub(super) fn forget(&mut self, node: Handle) {
        let before: Vec<Handle> = self.before(node).collect();
        let behind: Vec<Handle> = self.behind(node).collect();
        for from in before {
            self.remove(from, node);
        }
        for to in behind {
            self.remove(node, to);
        }
    }
}

impl FromIterator<(Handle, Handle)> for Edges {
    fn from_iter<I: IntoIterator<Item = (Handle, Handle)>>(edges: I) -> Edges {
        let mut all = Edges::default();
        for (from, to) in edges {
            all.insert(from, to);
        }
        all
    }
}
