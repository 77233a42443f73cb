//! Writing mbarrier objects (PTX ISA 9.7.13.15), fences and the barrier of the cluster: each hands
//! a value from thread to thread.

use warpsim::isa::MbarrierInstruction;

use super::write::{Body, Fill, Place};

/// Own cells in the shared memory that is handed on.
const GIVEN: Place = Place { space: "other", generic: false };

impl Body<'_> {
    /// Every thread gives eight words, and reads one of the next thread's after `between`; in
    /// branches, of its own.
    fn handed(&mut self, between: impl FnOnce(&mut Self)) -> String {
        let words = self.words(Fill::Words, 8);
        self.put(GIVEN, &words);
        between(self);
        self.next()
    }

    /// One of the words that the next thread has given.
    fn next(&mut self) -> String {
        let (next, base, to) = (self.r(), self.r(), self.r());
        match self.members() {
            1 => self.line(&format!("mov.u32 {next}, %t;")),
            threads => {
                self.line(&format!("add.u32 {next}, %t, 1;"));
                self.line(&format!("rem.u32 {next}, {next}, {threads};"));
            }
        }
        self.line(&format!("mov.u32 {base}, other;"));
        self.line(&format!("mad.lo.u32 {base}, {next}, 32, {base};"));
        self.line(&format!("ld.shared.b32 {to}, [{base}+20];"));
        to
    }

    pub(super) fn fence(&mut self) {
        let text = self.text.clone();
        let to = self.handed(|body| {
            body.line(&format!("{text};"));
            body.line("bar.sync 0;");
        });
        self.results(&[(32, to)]);
    }

    /// Arrives and waits, in the spelling of the one that the instruction is.
    pub(super) fn cluster_barrier(&mut self) {
        let text = self.text.clone();
        let aligned = if self.has("aligned") { ".aligned" } else { "" };
        let (arrive, wait) = match self.has("arrive") {
            true => (text, format!("barrier.cluster.wait{aligned}")),
            false => (format!("barrier.cluster.arrive{aligned}"), text),
        };
        // A relaxed arrival alone orders nothing.
        let relaxed = arrive.contains("relaxed");
        let to = self.handed(|body| {
            if relaxed {
                body.line("fence.acq_rel.cluster;");
            }
            body.line(&format!("{arrive};"));
            body.line(&format!("{wait};"));
        });
        self.results(&[(32, to)]);
    }

    /// The address of the block's object, as the instruction wants it.
    pub(super) fn object(&mut self, text: &str) -> String {
        if text.contains(".shared") {
            return "object".to_owned();
        }
        let r = self.r();
        self.line(&format!("mov.u32 {r}, object;"));
        self.generic(&r)
    }

    /// The first thread makes the object, for this many arrivals.
    pub(super) fn make(&mut self, text: &str, count: u32) {
        let object = self.object(text);
        self.line(&format!("@%first {text} [{object}], {count};"));
        self.line("@%first fence.proxy.async;");
        self.line("bar.sync 0;");
    }

    /// And ends it.
    pub(super) fn unmake(&mut self, text: &str) {
        let object = self.object(text);
        self.line("bar.sync 0;");
        self.line(&format!("@%first {text} [{object}];"));
        self.line("bar.sync 0;");
    }

    /// Waits for a phase: its parity, or its state where the instruction takes one.
    pub(super) fn wait(&mut self, text: &str, phase: &str) {
        let (label, p, object) = (self.label(), self.p(), self.object(text));
        self.line(&format!("{label}:"));
        self.line(&format!("{text} {p}, [{object}], {phase};"));
        self.line(&format!("@!{p} bra {label};"));
    }

    pub(super) fn mbarrier(&mut self, instruction: MbarrierInstruction) {
        let text = self.text.clone();
        let threads = self.members();
        let init = match instruction {
            MbarrierInstruction::Init => text.clone(),
            _ => "mbarrier.init.shared.b64".to_owned(),
        };
        let end = match instruction {
            MbarrierInstruction::Invalidate => text.clone(),
            _ => "mbarrier.inval.shared.b64".to_owned(),
        };
        let twice = if self.has("noComplete") { 2 } else { 1 };
        self.make(&init, threads * twice);
        match instruction {
            MbarrierInstruction::Init | MbarrierInstruction::Invalidate => self.plain_phase(),
            MbarrierInstruction::ExpectTx | MbarrierInstruction::CompleteTx => {
                self.transactions(instruction);
            }
            MbarrierInstruction::Arrive if self.has("noComplete") => self.incomplete(),
            MbarrierInstruction::Arrive => self.arrivals(),
            MbarrierInstruction::ArriveWithCopies => self.arrival_of_copies(),
            MbarrierInstruction::Test => self.tests(),
            MbarrierInstruction::PendingCount => self.pending(),
        }
        self.unmake(&end);
    }

    fn plain_phase(&mut self) {
        let to = self.handed(|body| {
            let state = body.d();
            body.line(&format!("mbarrier.arrive.shared.b64 {state}, [object];"));
            body.wait("mbarrier.test_wait.shared.b64", &state);
        });
        self.results(&[(32, to)]);
    }

    /// Every thread announces bytes, and reports their arrival.
    fn transactions(&mut self, instruction: MbarrierInstruction) {
        let text = self.text.clone();
        let object = self.object(&text);
        let bytes = 8 * (1 + self.draw.below(20));
        let to = self.handed(|body| {
            let (mut expect, mut complete) =
                ("mbarrier.expect_tx.relaxed.cta.shared::cta.b64".to_owned(), text.clone());
            let (mut to_expect, mut to_complete) = ("object".to_owned(), object.clone());
            if instruction == MbarrierInstruction::ExpectTx {
                complete = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64".to_owned();
                expect.clone_from(&text);
                (to_expect, to_complete) = (object, "object".to_owned());
            }
            body.line(&format!("{expect} [{to_expect}], {bytes};"));
            body.line("mbarrier.arrive.shared.b64 _, [object];");
            body.line(&format!("{complete} [{to_complete}], {bytes};"));
            body.wait("mbarrier.try_wait.parity.shared.b64", "0");
        });
        self.results(&[(32, to)]);
    }

    /// Arrivals, the last of odd threads where they are dropped; with bytes, which then come.
    fn arrivals(&mut self) {
        let text = self.text.clone();
        let object = self.object(&text);
        let bytes = self.has("expect_tx").then(|| 16 * (1 + self.draw.below(9)));
        // There is no state of an object that may be another block's.
        let remote = self.has("shared::cluster");
        let drop = self.has("arrive_drop");
        let (odd, p) = (self.r(), self.p());
        self.line(&format!("and.b32 {odd}, %t, 1;"));
        self.line(&format!("setp.eq.u32 {p}, {odd}, 1;"));
        let relaxed = self.has("relaxed");
        let first = self.handed(|body| {
            if relaxed {
                body.line("fence.acq_rel.cluster;");
            }
            let state = body.d();
            let to = if remote { "_" } else { &state };
            let more = bytes.map_or(String::new(), |bytes| format!(", {bytes}"));
            body.line(&format!("{text} {to}, [{object}]{more};"));
            if let Some(bytes) = bytes {
                body.line(&format!(
                    "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [object], {bytes};"
                ));
            }
            match remote || body.draw.percent(50) {
                true => body.wait("mbarrier.try_wait.parity.shared.b64", "0"),
                false => body.wait("mbarrier.test_wait.shared.b64", &state),
            }
            if relaxed {
                body.line("fence.acq_rel.cluster;");
            }
        });
        let mut results = vec![(32, first)];
        if drop {
            // All are gone: the next phase waits for nobody but who is counted anew.
            self.line("bar.sync 0;");
            self.line("@%first mbarrier.inval.shared.b64 [object];");
            self.line("bar.sync 0;");
            let threads = self.members();
            self.make("mbarrier.init.shared.b64", threads);
            self.line(&format!("@{p} mbarrier.arrive_drop.shared.b64 _, [object];"));
            self.line(&format!("@!{p} mbarrier.arrive.shared.b64 _, [object];"));
            self.wait("mbarrier.test_wait.parity.shared.b64", "0");
            let second = self.handed(|body| {
                body.line("bar.sync 0;");
                body.line(&format!("@!{p} mbarrier.arrive.shared.b64 _, [object];"));
                body.wait("mbarrier.test_wait.parity.shared.b64", "1");
            });
            results.push((32, second));
        }
        self.results(&results);
    }

    /// Arrivals that must not complete the phase, and then as many as do.
    fn incomplete(&mut self) {
        let text = self.text.clone();
        let object = self.object(&text);
        let early = self.p();
        let drop = self.has("arrive_drop");
        let to = self.handed(|body| {
            let state = body.d();
            body.line(&format!("{text} {state}, [{object}], 1;"));
            body.line("bar.sync 0;");
            body.line(&format!("mbarrier.test_wait.shared.b64 {early}, [object], {state};"));
            body.line("bar.sync 0;");
            body.line("mbarrier.arrive.shared.b64 _, [object];");
            body.wait("mbarrier.test_wait.parity.shared.b64", "0");
        });
        let _ = drop;
        self.results(&[(1, early), (32, to)]);
    }

    /// Copies of own cells, after which the thread arrives.
    fn arrival_of_copies(&mut self) {
        let text = self.text.clone();
        let object = self.object(&text);
        let words = self.words(Fill::Words, 8);
        let place = Place { space: "global", generic: false };
        self.put(place, &words);
        let at = self.own_at();
        self.line(&format!("cp.async.ca.shared.global [%so], [%own+{at}], 16;"));
        self.line(&format!("cp.async.cg.shared.global [%so+16], [%own+{}], 16;", at + 16));
        self.line(&format!("{text} [{object}];"));
        // Without `.noinc` the arrival of the copies is one more than was counted.
        if !self.has("noinc") {
            self.line("mbarrier.arrive.shared.b64 _, [object];");
        }
        self.wait("mbarrier.test_wait.parity.shared.b64", "0");
        let to = self.next();
        self.show(place);
        self.results(&[(32, to)]);
    }

    fn tests(&mut self) {
        let text = self.text.clone();
        let parity = self.has("parity");
        let relaxed = self.has("relaxed");
        let to = self.handed(|body| {
            if relaxed {
                body.line("fence.acq_rel.cluster;");
            }
            let state = body.d();
            body.line(&format!("mbarrier.arrive.shared.b64 {state}, [object];"));
            body.wait(&text, if parity { "0" } else { &state });
            if relaxed {
                body.line("bar.sync 0;");
            }
        });
        self.results(&[(32, to)]);
    }

    /// The sum of what was pending when each warp arrived, whichever was first. Not of each lane:
    /// an H200 gives all lanes of a warp that arrive together the same state.
    fn pending(&mut self) {
        let text = self.text.clone();
        let (state, count, sum) = (self.d(), self.r(), self.r());
        self.line("@%first st.shared.b32 [common], 0;");
        self.line("bar.sync 0;");
        let first = self.p();
        self.line(&format!("setp.eq.u32 {first}, %lane, 0;"));
        self.line(&format!("@{first} mbarrier.arrive.shared.b64 {state}, [object], 32;"));
        self.line(&format!("@{first} {text} {count}, {state};"));
        self.line(&format!("@{first} red.shared.add.u32 [common], {count};"));
        self.line("bar.sync 0;");
        self.line(&format!("ld.shared.b32 {sum}, [common];"));
        self.results(&[(32, sum)]);
    }
}
