//! The registers that an operation reads and writes, defined once for each operation.
//!
//! [`Kind::operands`] lists each with its register, its bytes that count, and its [`Role`]: the
//! purpose of a read, or the origin of a written value. Analyses of values (which are never
//! written, which depend on the schedule) use only the roles.

use crate::lanes::{Operands, Position};
use crate::lower::operations::access::{Atomic, Base, Load, Store, Target};
use crate::lower::operations::asynchronous::{AsyncCopy, AsyncStore, Asynchronous, BulkCopy};
use crate::lower::operations::image::{Detail, ImageAction, ImageOperation};
use crate::lower::operations::mbarrier::{Mbarrier, MbarrierAction, MbarrierPhase};
use crate::lower::operations::operand::{
    ADDRESS, ASKED, COMBINED, DECISION, Home, List, MEMBERS, Operand, Origin, Purpose, Register,
    Role, VALUE,
};
use crate::lower::operations::operation::{
    Barrier, BarrierAction, Call, Callee, Kind, Operation, SpecialRegister, StackOperation,
};
use crate::lower::operations::runtime::{RuntimeCall, RuntimeFunction};

impl Operation {
    /// Its reads and writes, including its guard.
    pub fn operands(&self) -> Vec<Operand> {
        let mut operands = List::default();
        if let Some(guard) = self.guard {
            operands.predicate(guard.predicate, Role::Reads(Purpose::Decision));
        }
        operands.of(&self.kind);
        operands.0
    }
}

impl Kind {
    /// Its reads and writes, in no particular order. The registers that a `ret` passes to the
    /// caller are in [`crate::lower::Function::returns`].
    ///
    /// ```
    /// use warpsim_engine::lower::{Origin, Placement, Purpose, Role, lower};
    ///
    /// let text = ".version 7.0 .target sm_80 .address_size 64 .entry k() {
    ///     .reg .u32 %r<3>; .reg .u64 %a; ld.global.u32 %r1, [%a]; ret; }";
    /// let module = warpsim::ptx::parse("k.ptx", text)?;
    /// let program = lower(&module, "k", &Placement::default())?;
    /// let operands = program.operations[0].kind.operands();
    /// let roles: Vec<(Role, u32)> = operands.iter().map(|o| (o.role, o.bytes)).collect();
    /// let address = (Role::Reads(Purpose::Address), 8);
    /// assert_eq!(roles, [address, (Role::Writes(Origin::Memory), 4)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn operands(&self) -> Vec<Operand> {
        let mut operands = List::default();
        operands.of(self);
        operands.0
    }
}

impl List {
    fn of(&mut self, kind: &Kind) {
        match kind {
            Kind::Lanes(operation) => self.lanes(operation.operands()),
            Kind::Special32(d, register) => self.w32(*d, Role::Writes(register.origin())),
            Kind::Special64(d, register) => self.w64(*d, Role::Writes(register.origin())),
            Kind::LocalAddress32(d, _) => self.w32(*d, Role::Writes(Origin::Thread)),
            Kind::LocalAddress64(d, _) => self.w64(*d, Role::Writes(Origin::Thread)),
            Kind::IsSpace { d, a, .. } => {
                self.w64(*a, ADDRESS);
                self.predicate(*d, Role::Writes(Origin::Address));
            }
            Kind::ActiveMask(d) => self.w32(*d, Role::Writes(Origin::Schedule)),
            Kind::Load(load) => self.load(load),
            Kind::Store(store) => self.store(store),
            Kind::Atomic(atomic) => self.atomic(atomic),
            Kind::Span(span) => {
                self.address(&span.target);
                self.w64(span.bytes, ADDRESS);
            }
            Kind::Stack(operation) => match **operation {
                StackOperation::Allocate { d, size, wide, .. } => {
                    self.w64(size, ADDRESS);
                    self.whole(Register::data(d, wide), Role::Writes(Origin::Address));
                }
                StackOperation::Save { d, wide } => {
                    self.whole(Register::data(d, wide), Role::Writes(Origin::Thread));
                }
                StackOperation::Restore { a } => self.w64(a, ADDRESS),
            },
            Kind::Mbarrier(operation) => self.mbarrier(operation),
            Kind::BranchIndexed(branch) => self.w32(branch.index, DECISION),
            Kind::Call(call) => self.call(call),
            Kind::Runtime(call) => self.runtime(call),
            Kind::Barrier(barrier) => self.barrier(barrier),
            Kind::Warp(operation) => operation.operands(self),
            Kind::Image(operation) => self.image(operation),
            Kind::Asynchronous(operation) => match &**operation {
                Asynchronous::Copy(copy) => self.asynchronous_copy(copy),
                Asynchronous::Bulk(copy) => self.bulk_copy(copy),
                Asynchronous::Store(store) => self.asynchronous_store(store),
                Asynchronous::Commit(_)
                | Asynchronous::Wait(..)
                | Asynchronous::WaitForReads(_)
                | Asynchronous::WaitAll => {}
            },
            Kind::Branch { .. }
            | Kind::Return
            | Kind::Exit
            | Kind::Trap
            | Kind::Breakpoint
            | Kind::Fence(_)
            | Kind::ProxyFence
            | Kind::ClusterBarrier(_)
            | Kind::Nothing => {}
        }
    }
    fn lanes(&mut self, operands: &Operands) {
        let Operands { d, d2, a, b, c, e, .. } = *operands;
        let places = [
            (Position::A, a),
            (Position::B, b),
            (Position::C, c),
            (Position::E, e),
            (Position::D, d),
            (Position::D2, d2),
        ];
        for (position, slot) in places {
            let Some(width) = operands.flow.width(position) else { continue };
            let register = Register::of_width(slot, width);
            match position {
                Position::A | Position::B | Position::C | Position::E => {
                    self.push(register, width.bytes(), VALUE);
                }
                Position::D | Position::D2 => self.whole(register, Role::Writes(Origin::Values)),
            }
        }
    }

    fn address(&mut self, target: &Target) {
        match target.base {
            Base::W32(slot) => self.w32(slot, ADDRESS),
            Base::W64(slot) => self.w64(slot, ADDRESS),
            Base::Absolute | Base::Frame | Base::FrameParam => {}
        }
    }

    fn load(&mut self, load: &Load) {
        self.address(&load.target);
        for d in load.destinations.iter().flatten() {
            self.whole(Register::data(*d, load.wide), Role::Writes(load.target.origin()));
        }
    }

    fn store(&mut self, store: &Store) {
        self.address(&store.target);
        for source in &store.sources {
            self.push(Register::data(*source, store.wide), store.target.piece(), VALUE);
        }
    }

    fn atomic(&mut self, atomic: &Atomic) {
        self.address(&atomic.target);
        for piece in &atomic.pieces {
            for slot in [Some(piece.b), piece.c].into_iter().flatten() {
                self.push(Register::data(slot, atomic.wide), atomic.target.piece(), COMBINED);
            }
        }
        for d in atomic.pieces.iter().filter_map(|piece| piece.destination) {
            self.whole(Register::data(d, atomic.wide), Role::Writes(Origin::Memory));
        }
    }

    fn asynchronous_copy(&mut self, copy: &AsyncCopy) {
        self.address(&copy.to);
        self.address(&copy.from);
        if let Some(read) = copy.read {
            self.w32(read, DECISION);
        }
        if let Some(ignore) = copy.ignore {
            self.predicate(ignore.predicate, DECISION);
        }
    }

    fn bulk_copy(&mut self, copy: &BulkCopy) {
        let targets = [Some(&copy.to), Some(&copy.from), copy.mbarrier.as_ref()];
        targets.into_iter().flatten().for_each(|target| self.address(target));
        self.w32(copy.bytes, DECISION);
    }

    fn asynchronous_store(&mut self, store: &AsyncStore) {
        self.address(&store.to);
        self.address(&store.mbarrier);
        for value in &store.values {
            self.push(Register::data(*value, store.to.width == 8), store.to.piece(), COMBINED);
        }
    }

    fn mbarrier(&mut self, operation: &Mbarrier) {
        self.address(&operation.target);
        match operation.action {
            MbarrierAction::Init { count } => self.w32(count, COMBINED),
            MbarrierAction::ExpectTx { bytes } | MbarrierAction::CompleteTx { bytes } => {
                self.w32(bytes, COMBINED);
            }
            MbarrierAction::Arrive(arrive) => {
                let numbers = [arrive.count, arrive.expected].into_iter().flatten();
                numbers.for_each(|number| self.w32(number, COMBINED));
                if let Some(d) = arrive.d {
                    self.w64(d, Role::Writes(Origin::Memory));
                }
            }
            MbarrierAction::Test { d, phase } => {
                match phase {
                    MbarrierPhase::State(state) => self.w64(state, COMBINED),
                    MbarrierPhase::Parity(parity) => self.w32(parity, COMBINED),
                }
                self.predicate(d, Role::Writes(Origin::Memory));
            }
            MbarrierAction::Invalidate | MbarrierAction::ArriveWithCopies { .. } => {}
        }
    }

    fn call(&mut self, call: &Call) {
        match call.callee {
            Callee::Direct(_) => {}
            Callee::Indirect(slot) => self.w64(slot, ADDRESS),
        }
        call.arguments.iter().for_each(|home| self.home(*home, VALUE));
        call.results.iter().for_each(|home| self.home(*home, Role::Writes(Origin::Callee)));
    }

    /// A function of the toolchain reads its arguments immediately.
    fn runtime(&mut self, call: &RuntimeCall) {
        let origin = match call.function {
            RuntimeFunction::Allocate => Origin::Schedule,
            RuntimeFunction::Print | RuntimeFunction::Free | RuntimeFunction::AssertionFailed => {
                Origin::Launch
            }
        };
        call.arguments.iter().for_each(|home| self.home(*home, ADDRESS));
        call.results.iter().for_each(|home| self.home(*home, Role::Writes(origin)));
    }

    fn home(&mut self, home: Home, role: Role) {
        match home {
            Home::W32(slot, bytes) => self.push(Register::data(slot, false), bytes, role),
            Home::W64(slot) => self.w64(slot, role),
            Home::Predicate(slot) => self.predicate(slot, role),
            Home::Param { .. } => {}
        }
    }

    fn image(&mut self, operation: &ImageOperation) {
        self.w64(operation.handle, ADDRESS);
        operation.layer.iter().for_each(|slot| self.w32(*slot, ADDRESS));
        operation.coordinates.iter().for_each(|slot| self.w32(*slot, ADDRESS));
        match &operation.action {
            ImageAction::Sample(sample) => {
                let memory = Role::Writes(Origin::Memory);
                sample.offsets.iter().for_each(|slot| self.w32(*slot, ADDRESS));
                match &sample.detail {
                    Detail::Base => {}
                    Detail::Level(level) => self.w32(*level, ADDRESS),
                    Detail::Growth(growth) => {
                        growth.iter().flatten().for_each(|slot| self.w32(*slot, ADDRESS));
                    }
                }
                sample.d.iter().flatten().for_each(|d| self.w32(*d, memory));
                sample.resident.iter().for_each(|p| self.predicate(*p, memory));
            }
            ImageAction::Size { d, .. } => self.w32(*d, Role::Writes(Origin::Address)),
            ImageAction::Address { d, inside, .. } => {
                self.w64(*d, Role::Writes(Origin::Address));
                self.predicate(*inside, Role::Writes(Origin::Address));
            }
            ImageAction::Pack { d, inside, words, values, .. } => {
                values.iter().for_each(|slot| self.w32(*slot, VALUE));
                words.iter().for_each(|slot| self.w32(*slot, Role::Writes(Origin::Values)));
                self.w64(*d, Role::Writes(Origin::Address));
                inside.iter().for_each(|p| self.predicate(*p, Role::Writes(Origin::Address)));
            }
        }
    }

    fn barrier(&mut self, barrier: &Barrier) {
        self.w32(barrier.id, MEMBERS);
        if let Some(count) = barrier.count {
            self.w32(count, MEMBERS);
        }
        match barrier.action {
            BarrierAction::Sync | BarrierAction::Arrive => {}
            BarrierAction::Popc { d, p } => {
                self.predicate(p.predicate, ASKED);
                self.w32(d, Role::Writes(Origin::Values));
            }
            BarrierAction::And { d, p } | BarrierAction::Or { d, p } => {
                self.predicate(p.predicate, ASKED);
                self.predicate(d, Role::Writes(Origin::Values));
            }
        }
    }
}

impl SpecialRegister {
    /// The origin of the value that it reads: the time depends on the schedule, since it is counted
    /// in instructions.
    pub(in crate::lower) fn origin(self) -> Origin {
        use SpecialRegister as R;
        match self {
            R::Clock | R::ClockHi | R::Globaltimer | R::GlobaltimerHi => Origin::Schedule,
            R::Tid(_)
            | R::Laneid
            | R::Warpid
            | R::LanemaskEq
            | R::LanemaskLe
            | R::LanemaskLt
            | R::LanemaskGe
            | R::LanemaskGt => Origin::Thread,
            R::Ntid(_)
            | R::Ctaid(_)
            | R::Nctaid(_)
            | R::Nwarpid
            | R::Smid
            | R::Nsmid
            | R::Gridid
            | R::TotalSharedSize
            | R::AggregateSharedSize
            | R::ReservedSharedEnd
            | R::ReservedSharedCapacity
            | R::DynamicSharedSize
            | R::WorkspaceHigh
            | R::WorkspaceLow
            | R::LaunchQueueHigh
            | R::LaunchQueueLow
            | R::Zero
            | R::One => Origin::Launch,
        }
    }
}
