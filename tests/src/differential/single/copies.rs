//! Writing asynchronous copies, stores and reductions (PTX ISA 9.7.9.12, 9.7.9.25, 9.7.13.8), each
//! with the wait that it needs, and requests for the work of other blocks (9.7.13.17).

use super::access::bits;
use super::write::{Body, Fill, OWN, Place};

const GLOBAL: Place = Place { space: "global", generic: false };
const SHARED: Place = Place { space: "shared", generic: false };
const OTHER: Place = Place { space: "other", generic: false };

impl Body<'_> {
    /// `cp.async` and what makes groups and waits: own cells from global to shared memory.
    pub(super) fn copy(&mut self) {
        let text = self.text.clone();
        if self.has("bulk") {
            return self.bulk_group(&text);
        }
        let words = self.words(Fill::Words, 8);
        self.put(GLOBAL, &words);
        let before = self.words(Fill::Words, 8);
        self.put(SHARED, &before);
        let waits = text.contains("wait") || text.contains("commit");
        let copy = if waits { "cp.async.ca.shared.global".to_owned() } else { text.clone() };
        let size = match copy.contains(".cg") {
            true => 16,
            false => self.draw.of(&[4, 8, 16]),
        };
        let offset = self.draw.below(16 / size) * size;
        let hint = if waits { "" } else { self.hint() };
        let read = match self.draw.below(4) {
            0 => format!(", {}", self.draw.below(size + 1)),
            1 => {
                let r = self.words(Fill::Words, 1).remove(0);
                self.line(&format!("and.b32 {r}, {r}, {};", size - 1));
                format!(", {r}")
            }
            _ => String::new(),
        };
        let at = self.own_at() + offset;
        self.line(&format!("{copy} [%s+{offset}], [%own+{at}], {size}{read}{hint};"));
        if text.ends_with("wait_all") {
            self.line(&format!("{text};"));
        } else {
            self.line("cp.async.commit_group;");
            // A second group, which is still under way at the first wait.
            self.line(&format!(
                "cp.async.ca.shared.global [%s+16], [%own+{}], 16;",
                self.own_at() + 16
            ));
            self.line("cp.async.commit_group;");
            self.line("cp.async.wait_group 1;");
            let r = self.r();
            self.line(&format!("ld.shared.b32 {r}, [%s+{offset}];"));
            self.line("cp.async.wait_group 0;");
            self.show(GLOBAL);
            self.results(&[(32, r)]);
        }
        self.show(SHARED);
    }

    /// The first thread copies what all have given, and waits for it by groups.
    fn bulk_group(&mut self, text: &str) {
        let words = self.words(Fill::Words, 8);
        self.put(SHARED, &words);
        let bytes = self.members() * 32;
        let at = self.own_at();
        let zeros = self.words(Fill::Words, 8);
        self.put(GLOBAL, &zeros);
        self.line("fence.proxy.async;");
        self.line("bar.sync 0;");
        let wait = if text.ends_with("read") { text } else { "cp.async.bulk.wait_group" };
        self.line(&format!(
            "@%first cp.async.bulk.global.shared::cta.bulk_group [%own+{at}], [%s], {bytes};"
        ));
        self.line("@%first cp.async.bulk.commit_group;");
        self.line(&format!("@%first {wait} 0;"));
        self.line("@%first cp.async.bulk.wait_group 0;");
        self.line("bar.sync 0;");
        self.show(GLOBAL);
    }

    /// `cp.async.bulk` and `cp.reduce.async.bulk`, of all own cells of a block at once.
    pub(super) fn bulk(&mut self) {
        let (text, hint) = (self.text.clone(), self.hint());
        let bytes = self.members() * 32;
        let ty = self.last();
        let fill = match ty.as_str() {
            "f16" => Fill::Halves,
            "bf16" => Fill::Brains,
            "f32" | "f64" => Fill::Finite,
            _ => Fill::Words,
        };
        let reduces = text.contains("reduce");
        let by_group = self.has("bulk_group");
        let from_global = !reduces && !by_group && !text.contains("cluster.shared::cta");
        let (from, to) = match (by_group, from_global) {
            (true, _) => (SHARED, GLOBAL),
            (false, true) => (GLOBAL, SHARED),
            (false, false) => (SHARED, OTHER),
        };
        let given = self.words(fill, 8);
        self.put(from, &given);
        let before = self.words(fill, 8);
        self.put(to, &before);
        let at = self.own_at();
        let address = |place: Place| match place.space {
            "global" => format!("%own+{at}"),
            "other" => "%so".to_owned(),
            _ => "%s".to_owned(),
        };
        let (from, into) = (address(from), address(to));
        if by_group {
            self.line("fence.proxy.async;");
            self.line("bar.sync 0;");
            self.line(&format!("@%first {text} [{into}], [{from}], {bytes}{hint};"));
            self.line("@%first cp.async.bulk.commit_group;");
            self.line("@%first cp.async.bulk.wait_group 0;");
            self.line("bar.sync 0;");
        } else {
            self.line("fence.proxy.async;");
            self.make("mbarrier.init.shared.b64", 1);
            self.line(&format!(
                "@%first mbarrier.arrive.expect_tx.shared.b64 _, [object], {bytes};"
            ));
            self.line(&format!("@%first {text} [{into}], [{from}], {bytes}, [object]{hint};"));
            self.wait("mbarrier.try_wait.parity.shared.b64", "0");
            self.unmake("mbarrier.inval.shared.b64");
        }
        self.show(to);
    }

    /// `st.async` and `red.async` on own cells: the phase is complete when the bytes of all threads
    /// have come.
    pub(super) fn store_to_be_told(&mut self) {
        let (text, ty, n) = (self.text.clone(), self.last(), self.elements());
        let size = bits(&ty);
        let before = self.words(Fill::Words, 8);
        self.put(OTHER, &before);
        let values = self.values(Fill::Words, n, size);
        let bytes = size * n / 8;
        let offset = self.draw.below(OWN / bytes) * bytes;
        let threads = self.members();
        self.make("mbarrier.init.shared.b64", threads);
        let place = Place { generic: !self.has("shared::cluster"), ..OTHER };
        let (address, object) = (self.address(place, offset), self.object(&text));
        self.line(&format!("mbarrier.arrive.expect_tx.shared.b64 _, [object], {bytes};"));
        self.line(&format!("{text} [{address}], {}, [{object}];", Self::list(&values)));
        self.wait("mbarrier.try_wait.parity.shared.b64", "0");
        self.unmake("mbarrier.inval.shared.b64");
        self.show(OTHER);
    }

    /// Asks for the work of another block, and what the response says, as far as it says the same
    /// wherever no work is given.
    pub(super) fn cancellation(&mut self) {
        let text = self.text.clone();
        let asks = text.contains("try_cancel");
        let request = match asks {
            true => text.clone(),
            false => "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128".to_owned(),
        };
        let before = self.words(Fill::Words, 8);
        self.put(OTHER, &before);
        self.make("mbarrier.init.shared.b64", 1);
        let place = Place { generic: !request.contains("shared::cta"), ..OTHER };
        let (address, object) = (self.address(place, 16), self.object(&request));
        self.line("@%first mbarrier.arrive.expect_tx.shared.b64 _, [object], 16;");
        self.line(&format!("@%first {request} [{address}], [{object}];"));
        self.wait("mbarrier.try_wait.parity.shared.b64", "0");
        self.unmake("mbarrier.inval.shared.b64");
        let (response, granted, r) = (self.q(), self.p(), self.r());
        self.line(&format!("mov.u32 {r}, other;"));
        self.line(&format!("ld.shared.b128 {response}, [{r}+16];"));
        let query = "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128";
        self.line(&format!("{query} {granted}, {response};"));
        let block = self.several(4, 32);
        for register in &block {
            self.line(&format!("mov.b32 {register}, 0;"));
        }
        if !asks && text != query {
            let list = if self.has("v4") { &block[..] } else { &block[..1] };
            self.line(&format!("@{granted} {text} {}, {response};", Self::list(list)));
        }
        let block = block.into_iter().map(|register| (32, register));
        let results: Vec<_> = std::iter::once((1, granted)).chain(block).collect();
        self.results(&results);
    }
}
