//! The state of a debugging session: the launch, what stops it, and the thread in focus.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use warpsim::host::Stepper;
use warpsim::internal::InternalError;
use warpsim::lanes::{LANES, Mask};
use warpsim::lower::{Pc, Place};
use warpsim::observe::Step;
use warpsim::report::{Finding, Outcome};
use warpsim::schedule::Schedule;

use crate::breakpoints::{Breakpoint, Location};
use crate::expression::{Expression, Leaves, Node, value};

use crate::error::{DebuggerError, near};
use crate::regions::{MOST_WATCHED, Region, Target, Watch, WatchKind};
use crate::sources::Sources;
use crate::stops::Buffer;
use crate::threads::ThreadId;
use crate::values::Value;

/// A launch that is being debugged.
#[derive(Debug)]
pub struct Debugger<'a> {
    pub(crate) stepper: Stepper<'a>,
    pub(crate) sources: Sources,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) breakpoints: Vec<Breakpoint>,
    pub(crate) watches: Vec<Watch>,
    /// A breakpoint has stopped the threads here: going on passes over it.
    pub(crate) stands_at_breakpoint: bool,
    /// Setting it pauses a running launch.
    pub(crate) pause: Arc<AtomicBool>,
    /// The frame of the thread in focus that is looked at; 0 is the innermost.
    pub(crate) frame: usize,
    next_id: u32,
    focus: ThreadId,
}

impl<'a> Debugger<'a> {
    /// At the beginning of a launch, looking at lane 0 of warp 0 of block 0.
    pub fn new(stepper: Stepper<'a>, sources: Sources, buffers: Vec<Buffer>) -> Debugger<'a> {
        Debugger {
            stepper,
            sources,
            buffers,
            breakpoints: Vec::new(),
            watches: Vec::new(),
            stands_at_breakpoint: false,
            pause: Arc::default(),
            frame: 0,
            next_id: 1,
            focus: ThreadId::default(),
        }
    }

    /// The launch, to look at.
    pub fn stepper(&self) -> &Stepper<'a> {
        &self.stepper
    }

    /// A flag that another thread sets to have a moving launch pause. The launch clears it.
    pub fn pause_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.pause)
    }

    /// Runs to the end, whatever is watched.
    pub fn finish(&mut self) {
        self.frame = 0;
        self.stepper.finish();
    }

    /// The texts of the program.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The buffers of the arguments.
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// How the launch ended, when it has.
    pub fn outcome(&self) -> Option<(Outcome, Option<Finding>)> {
        self.stepper.outcome()
    }

    /// The bug in warpsim that stopped the launch, if one did.
    pub fn bug(&self) -> Option<&InternalError> {
        self.stepper.bug()
    }

    /// Instructions executed so far.
    pub fn moment(&self) -> usize {
        self.stepper.trace().steps().len()
    }

    /// The last step.
    pub fn last_step(&self) -> Option<&Step> {
        self.stepper.trace().steps().last()
    }

    /// The thread in focus.
    pub fn focus(&self) -> ThreadId {
        self.focus
    }

    /// Looks at another thread, and at its innermost frame.
    pub fn set_focus(&mut self, thread: ThreadId) {
        self.frame = 0;
        self.focus = thread;
    }

    /// Looks at lanes that have moved, or are about to: at the lane in focus if it is one of them.
    pub(crate) fn follow(&mut self, block: u64, warp: u32, lanes: Mask) {
        self.frame = 0;
        (self.focus.block, self.focus.warp) = (block, warp);
        if lanes != 0 && lanes >> self.focus.lane & 1 == 0 {
            self.focus.lane = lanes.trailing_zeros();
        }
    }

    /// The next operation of a thread. Before anything has moved, it is the kernel's first.
    pub fn pc(&self, thread: ThreadId) -> Option<Pc> {
        let pc = self.stepper.pc(thread.block, thread.warp, thread.lane as usize);
        pc.or_else(|| {
            let kernel = self.stepper.program()?.functions.first()?;
            (self.moment() == 0).then_some(kernel.entry)
        })
    }

    /// The next instruction of a thread.
    pub fn place(&self, thread: ThreadId) -> Option<&Place> {
        self.place_at(self.pc(thread)?)
    }

    /// An operation's place.
    pub(crate) fn place_at(&self, pc: Pc) -> Option<&Place> {
        self.stepper.program()?.places.get(pc as usize)
    }

    /// Goes on under another schedule.
    pub fn set_schedule(&mut self, schedule: Box<dyn Schedule>) {
        self.stepper.set_schedule(schedule);
    }

    /// The breakpoints, in the order of their numbers.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// The watchpoints, in the order of their numbers.
    pub fn watches(&self) -> &[Watch] {
        &self.watches
    }

    /// Adds a breakpoint.
    ///
    /// # Errors
    /// [`DebuggerError::NoInstruction`].
    pub fn add_breakpoint(
        &mut self,
        location: Location,
        condition: Option<Expression>,
        thread: Option<ThreadId>,
    ) -> Result<u32, DebuggerError> {
        let program = self.stepper.program();
        let operations = program.map_or_else(Vec::new, |program| location.operations(program));
        if operations.is_empty() {
            let near = program.map_or_else(Vec::new, |program| location.near(program));
            return Err(DebuggerError::NoInstruction { location: location.to_string(), near });
        }
        let id = self.take_id();
        self.breakpoints.push(Breakpoint {
            id,
            location,
            condition,
            thread,
            hits: 0,
            ignore: 0,
            operations,
        });
        Ok(id)
    }

    /// Watches a register or memory.
    ///
    /// # Errors
    /// [`DebuggerError::TooLarge`].
    pub fn add_watch(
        &mut self,
        target: Target,
        kind: WatchKind,
        condition: Option<Expression>,
    ) -> Result<u32, DebuggerError> {
        if let Target::Memory(region) = &target
            && region.bytes() > MOST_WATCHED
        {
            return Err(DebuggerError::TooLarge { bytes: region.bytes(), most: MOST_WATCHED });
        }
        let id = self.take_id();
        self.watches.push(Watch { id, target, kind, condition, hits: 0, before: None });
        Ok(id)
    }

    /// Passes over the next hits of a breakpoint.
    ///
    /// # Errors
    /// [`DebuggerError::NoStop`].
    pub fn ignore(&mut self, id: u32, count: u64) -> Result<(), DebuggerError> {
        let breakpoint = self.breakpoints.iter_mut().find(|breakpoint| breakpoint.id == id);
        breakpoint.ok_or(DebuggerError::NoStop { id })?.ignore = count;
        Ok(())
    }

    /// Removes a breakpoint or a watchpoint.
    ///
    /// # Errors
    /// [`DebuggerError::NoStop`].
    pub fn delete(&mut self, id: u32) -> Result<(), DebuggerError> {
        let before = self.breakpoints.len() + self.watches.len();
        self.breakpoints.retain(|breakpoint| breakpoint.id != id);
        self.watches.retain(|watch| watch.id != id);
        match self.breakpoints.len() + self.watches.len() < before {
            true => Ok(()),
            false => Err(DebuggerError::NoStop { id }),
        }
    }

    fn take_id(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// The value of an expression for the thread in focus.
    ///
    /// # Errors
    /// The expression does not parse, or has no value there.
    pub fn evaluate(&self, text: &str) -> Result<Value, DebuggerError> {
        Expression::parse(text)?.value(&self.leaves())
    }

    pub(crate) fn leaves(&self) -> ThreadLeaves<'_, 'a> {
        self.leaves_of(self.focus)
    }

    pub(crate) fn leaves_of(&self, thread: ThreadId) -> ThreadLeaves<'_, 'a> {
        ThreadLeaves { debugger: self, thread }
    }

    /// What a register of a thread holds, in the frame that is looked at.
    ///
    /// # Errors
    /// The thread is not there, the function has no such register, or nothing wrote to it.
    pub fn value_of_register(&self, thread: ThreadId, name: &str) -> Result<Value, DebuggerError> {
        let level = self.level_of(thread)?;
        self.value_of_register_in(thread, level, name)
    }

    /// The same for an activation of the thread's call stack.
    pub(crate) fn value_of_register_in(
        &self,
        thread: ThreadId,
        level: usize,
        name: &str,
    ) -> Result<Value, DebuggerError> {
        let ThreadId { block, warp, lane } = thread;
        if self.stepper.pc(block, warp, lane as usize).is_none() {
            return Err(DebuggerError::NoThread { block, warp, lane });
        }
        let register = self.stepper.register_in(block, warp, lane as usize, level, name);
        let Some(register) = register else {
            let known = self.stepper.registers_of(block, warp, lane as usize, level);
            let near = near(name, known.iter().map(|(name, _)| &**name));
            return Err(DebuggerError::UnknownName { name: name.to_owned(), near });
        };
        match self.stepper.written_in(block, warp, lane as usize, level).contains(name) {
            true => Ok(Value::Bits(register.ty, register.bits)),
            false => Err(DebuggerError::NeverWritten { register: name.to_owned() }),
        }
    }
}

/// The values of a thread's registers, its numbers, and memory as it sees it.
pub(crate) struct ThreadLeaves<'d, 'a> {
    pub(crate) debugger: &'d Debugger<'a>,
    pub(crate) thread: ThreadId,
}

impl ThreadLeaves<'_, '_> {
    /// A number of the thread: `lane`, `threadIdx.x`.
    fn number(&self, name: &str) -> Option<u64> {
        let ThreadId { block, warp, lane } = self.thread;
        let linear = warp * LANES as u32 + lane;
        match name {
            "lane" => return Some(u64::from(lane)),
            "warp" => return Some(u64::from(warp)),
            "block" => return Some(block),
            "thread" => return Some(u64::from(linear)),
            _ => {}
        }
        let launch = self.debugger.stepper.launch()?;
        let (of, direction) = name.split_once('.')?;
        let direction = ["x", "y", "z"].iter().position(|letter| *letter == direction)?;
        let [nx, ny, _] = launch.block;
        let thread = [linear % nx, linear / nx % ny, linear / nx / ny];
        let numbers = match of {
            "threadIdx" | "tid" => thread,
            "blockIdx" | "ctaid" => launch.block_index(block),
            "blockDim" | "ntid" => launch.block,
            "gridDim" | "nctaid" => launch.grid,
            _ => return None,
        };
        Some(u64::from(numbers[direction]))
    }
}

impl Leaves for ThreadLeaves<'_, '_> {
    fn register(&self, name: &str) -> Result<Value, DebuggerError> {
        match self.debugger.value_of_register(self.thread, name) {
            // `%tid.x` and `%laneid` are no registers of the function.
            Err(DebuggerError::UnknownName { near, .. }) => {
                let special = name.trim_start_matches('%');
                let special = if special == "laneid" { "lane" } else { special };
                let number = self.number(special).map(|number| Value::Integer(number.into()));
                number.ok_or_else(|| DebuggerError::UnknownName { name: name.to_owned(), near })
            }
            other => other,
        }
    }

    fn name(&self, name: &str) -> Result<Value, DebuggerError> {
        if let Some(place) = self.place_of(&Node::Name(name.to_owned()))? {
            return self.value_of(&place);
        }
        if let Some(number) = self.number(name) {
            return Ok(Value::Integer(number.into()));
        }
        if self.debugger.stepper.variable(name).is_some() {
            return self.only_cell(&Node::Name(name.to_owned()), name);
        }
        let variables = self.debugger.stepper.variables();
        let numbers = ["lane", "warp", "block", "thread", "threadIdx.x", "blockIdx.x"];
        let visible = self.debugger.visible(self.thread)?;
        let of_source = visible.as_ref().map_or_else(Vec::new, |visible| visible.names());
        if let Some(reason) = visible.as_ref().and_then(|visible| visible.wrong()) {
            let (name, reason) = (name.to_owned(), reason.to_owned());
            return Err(DebuggerError::DebugInformation { name, reason });
        }
        let all = variables.iter().map(|v| v.name.as_str()).chain(numbers).chain(of_source);
        Err(DebuggerError::UnknownName { name: name.to_owned(), near: near(name, all) })
    }

    fn buffer(&self, place: &str) -> Result<Value, DebuggerError> {
        self.only_cell(&Node::Buffer(place.to_owned()), &format!("@{place}"))
    }

    fn place(&self, node: &Node) -> Result<Value, DebuggerError> {
        match self.place_of(node)? {
            Some(place) => self.value_of(&place),
            None => Err(DebuggerError::NotAVariable),
        }
    }

    fn cell(&self, of: &Node, index: i128) -> Result<Value, DebuggerError> {
        if let Some(place) = self.place_of(of)? {
            return self.value_of(&self.indexed(&place, index)?);
        }
        let Some(mut region) = self.region(of)? else {
            if let Node::Name(name) = of {
                self.name(name)?;
            }
            return Err(DebuggerError::NotAPlace { text: format!("...[{index}]") });
        };
        let name = region.name.clone();
        let out = DebuggerError::OutOfRange { name, index, cells: region.cells };
        let Some(cell) = u64::try_from(index).ok().filter(|cell| *cell < region.cells) else {
            return Err(out);
        };
        region.address += cell * region.step();
        region.cells = 1;
        let cells = self.debugger.cells(&region)?;
        cells.first().map(|cell| cell.value).ok_or(out)
    }
}

impl ThreadLeaves<'_, '_> {
    /// A variable or buffer, seen from this thread.
    fn region(&self, of: &Node) -> Result<Option<Region>, DebuggerError> {
        let mut region = self.debugger.region_of(of, None)?;
        if let Some(region) = region.as_mut().filter(|region| region.block.is_some()) {
            region.block = Some(self.thread.block);
        }
        Ok(region)
    }

    /// The value of a variable or buffer of one cell.
    fn only_cell(&self, node: &Node, text: &str) -> Result<Value, DebuggerError> {
        match self.region(node)? {
            Some(region) if region.cells == 1 => value(
                &Node::Cell {
                    of: Box::new(node.clone()),
                    index: Box::new(Node::Number(crate::values::Number::Integer(0))),
                    last: None,
                },
                self,
            ),
            Some(_) | None => Err(DebuggerError::NotAValue { text: text.to_owned() }),
        }
    }
}
