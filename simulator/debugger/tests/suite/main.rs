//! What holds of every session: going backwards passes the same stops as going forwards, and the
//! past says of each cell what the machine did.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod variables;
mod waits;

use warpsim::host::{Argument, Device, Launch, ModuleHandle, Pointer, Simulator};
use warpsim::ptx::{Source, Type};
use warpsim_debugger::text::Console;
use warpsim_debugger::{
    Buffer, Debugger, Location, Over, Sources, Stop, Target, TextOf, ThreadId, Unit, WatchKind,
};

/// A count of bytes with a barrier missing; 64 threads.
const HIST: &str = include_str!("../../../../docs/debugger/hist.ptx");
/// Two calls of a function; 32 threads.
const CALLS: &str = include_str!("../../../../cli/tests/cmd/input/calls.ptx");

const SCHEDULES: [&str; 5] = ["in-order", "reverse", "random:3", "random:11", "adversarial"];

/// A launch that can be begun again and again.
struct Program {
    device: Simulator,
    module: ModuleHandle,
    source: Source,
    kernel: &'static str,
    launch: Launch,
    arguments: Vec<Argument>,
    buffers: Vec<Buffer>,
}

impl Program {
    fn new(text: &str, kernel: &'static str, threads: u32) -> Program {
        let module = warpsim::ptx::parse("program.ptx", text).unwrap();
        let mut device = Simulator::default();
        let handle = device.load(&module).unwrap();
        let source = module.source.clone();
        let launch = Launch::new(1, threads);
        let (arguments, buffers) = (Vec::new(), Vec::new());
        Program { device, module: handle, source, kernel, launch, arguments, buffers }
    }

    fn buffer(&mut self, bytes: &[u8], ty: Type) {
        let pointer = self.device.allocate(bytes.len() as u64).unwrap();
        self.device.upload(pointer, bytes).unwrap();
        let place = self.arguments.len().into();
        self.arguments.push(Argument::Pointer(pointer));
        self.buffers.push(Buffer::new(place, pointer, ty, bytes.len() as u64));
    }

    fn hist() -> Program {
        let mut program = Program::new(HIST, "hist", 64);
        program.buffer(&(0..64).collect::<Vec<u8>>(), Type::U8);
        program.arguments.push(Argument::I32(64));
        program.buffer(&[0; 64], Type::U32);
        program
    }

    fn calls() -> Program {
        let mut program = Program::new(CALLS, "k", 32);
        let words: Vec<u8> = (1..=34i32).flat_map(i32::to_le_bytes).collect();
        program.buffer(&words, Type::S32);
        program
    }

    /// The launch at its beginning, under a schedule, with the memory of the beginning.
    fn debug<T>(&mut self, schedule: &str, session: impl FnOnce(Debugger<'_>) -> T) -> T {
        let mut device = self.device.fork();
        device.settings_mut().schedule = schedule.parse().unwrap();
        let stepper =
            device.stepper(self.module, self.kernel, &self.launch, &self.arguments).unwrap();
        let sources = Sources::new(self.source.clone());
        session(Debugger::new(stepper, sources, self.buffers.clone()))
    }

    fn each_schedule(&mut self, mut session: impl FnMut(Debugger<'_>)) {
        for schedule in SCHEDULES {
            self.debug(schedule, &mut session);
        }
    }
}

/// The steps of the hits of a watchpoint, forwards to the end.
fn hits(debugger: &mut Debugger<'_>) -> Vec<usize> {
    let mut hits = Vec::new();
    loop {
        match debugger.go_on() {
            Stop::Watch(hit) => hits.push(hit.step),
            Stop::Ended => return hits,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn watchpoints_stop_at_the_same_accesses_backwards_as_forwards() {
    let mut all = 0;
    for kind in [WatchKind::Writes, WatchKind::Reads, WatchKind::Accesses] {
        for what in ["s[0]", "s[3..9]", "@2[5]", "@2", "@0[7]"] {
            Program::hist().each_schedule(|mut debugger| {
                let target = debugger.target(what, None).unwrap();
                debugger.add_watch(target, kind, None).unwrap();
                let forwards = hits(&mut debugger);
                let mut backwards = Vec::new();
                while let Stop::Watch(hit) = debugger.go_back() {
                    assert_eq!(hit.step, debugger.moment(), "it stands before the access");
                    backwards.push(hit.step);
                }
                backwards.reverse();
                assert_eq!(forwards, backwards, "{what} {kind:?}");
                all += forwards.len();
            });
        }
    }
    assert!(all > 300, "{all} hits");
    println!("{all} hits of watchpoints, forwards and backwards");
}

#[test]
fn breakpoints_stop_at_the_same_moments_backwards_as_forwards() {
    let mut all = 0;
    for line in [5, 8, 10] {
        Program::hist().each_schedule(|mut debugger| {
            let location = Location::Line { file: Some("hist.cu".to_owned()), line };
            debugger.add_breakpoint(location, None, None).unwrap();
            let mut forwards = Vec::new();
            while let Stop::Breakpoint { lanes, .. } = debugger.go_on() {
                forwards.push((debugger.moment(), debugger.focus().warp, lanes));
            }
            let mut backwards = Vec::new();
            while let Stop::Breakpoint { lanes, .. } = debugger.go_back() {
                backwards.push((debugger.moment(), debugger.focus().warp, lanes));
            }
            backwards.reverse();
            assert!(!forwards.is_empty());
            assert_eq!(forwards, backwards, "line {line}");
            all += forwards.len();
        });
    }
    println!("{all} stops at breakpoints, forwards and backwards");
}

/// The position of a thread: how deep it is in calls, and its line.
fn stand(debugger: &Debugger<'_>) -> Option<(usize, u32)> {
    let ThreadId { block, warp, lane } = debugger.focus();
    let depth = debugger.stepper().call_stack(block, warp, lane as usize).len();
    let place = debugger.place(debugger.focus())?;
    Some((depth, place.source.as_ref().map_or(place.line, |source| source.line)))
}

#[test]
fn lines_are_passed_backwards_as_forwards() {
    for over in [Over::Nothing, Over::Calls] {
        for lane in [0, 5, 31] {
            Program::calls().each_schedule(|mut debugger| {
                debugger.set_focus(ThreadId { block: 0, warp: 0, lane });
                let mut forwards = Vec::new();
                // The beginning of a line is where its first instruction is next.
                while debugger.step_line(Unit::Thread, over) == Stop::Moved {
                    match stand(&debugger) {
                        Some(at) => forwards.push(at),
                        None => break,
                    }
                }
                let mut backwards = Vec::new();
                while debugger.back_line(over) == Stop::Moved {
                    // Others may have moved before the thread did.
                    let steps = debugger.stepper().trace().steps();
                    if steps.iter().any(|step| step.mask >> lane & 1 == 1) {
                        backwards.extend(stand(&debugger));
                    }
                }
                backwards.reverse();
                assert!(forwards.len() > 1, "{forwards:?}");
                assert_eq!(forwards, backwards, "lane {lane} {over:?}");
                let calls = forwards.iter().filter(|(depth, _)| *depth > 1).count();
                assert_eq!(calls > 0, over == Over::Nothing, "{forwards:?}");
            });
        }
    }
}

#[test]
fn a_listing_has_the_next_line_the_lanes_and_the_breakpoints() {
    Program::hist().debug("in-order", |mut debugger| {
        let listing = debugger.listing(TextOf::Ptx).unwrap();
        assert!(listing.is_next && listing.lanes.is_empty(), "{listing:?}");
        debugger.add_breakpoint(listing.location(49), None, None).unwrap();
        debugger.go_on();
        // The file of the source is not known here, so this is the PTX, too.
        let listing = debugger.listing(TextOf::Source).unwrap();
        assert!(!listing.is_source && listing.is_next, "{listing:?}");
        assert_eq!((listing.line, listing.exists), (49, u32::MAX));
        assert_eq!(listing.lanes, [(49, u32::MAX)].into());
        assert!(listing.breakpoints.contains_key(&49), "{listing:?}");
        debugger.finish();
        let listing = debugger.listing(TextOf::Ptx).unwrap();
        let line = listing.text.lines().nth(listing.line as usize - 1);
        assert_eq!((line, listing.is_next), (Some("\tret;"), false));
    });
}

#[test]
fn the_last_writer_of_each_cell_wrote_what_the_cell_holds() {
    let mut all = 0;
    Program::hist().each_schedule(|mut debugger| {
        for moment in [40, 80, 120, 400] {
            debugger.go_to(moment);
            let Ok(Target::Memory(region)) = debugger.target("s", None) else { return };
            let (Ok(cells), writers) = (debugger.cells(&region), debugger.writers(&region)) else {
                return;
            };
            for (cell, writer) in cells.iter().zip(writers) {
                let Some(writer) = writer else { continue };
                // Between its step and now the cell has not changed.
                debugger.go_to(writer.step + 1);
                let then = debugger.evaluate(&format!("s[{}]", cell.index)).unwrap();
                assert_eq!(then, cell.value, "cell {} of moment {moment}", cell.index);
                debugger.go_to(moment);
                all += 1;
            }
        }
    });
    assert!(all > 50, "{all} cells");
    println!("{all} cells and their last writers");
}

#[test]
fn a_condition_and_a_thread_choose_lanes_and_hits_are_counted() {
    Program::hist().debug("in-order", |mut debugger| {
        let line = |line| Location::Line { file: Some("hist.cu".to_owned()), line };
        let condition = warpsim_debugger::Expression::parse("threadIdx.x % 5 == 2").unwrap();
        let id = debugger.add_breakpoint(line(8), Some(condition), None).unwrap();
        let Stop::Breakpoint { lanes, .. } = debugger.go_on() else { panic!() };
        let wanted = |warp: u32| {
            (0..32).filter(|lane| (warp * 32 + lane) % 5 == 2).fold(0u32, |m, lane| m | 1 << lane)
        };
        assert_eq!(lanes, wanted(debugger.focus().warp));
        assert_eq!(debugger.focus().lane, lanes.trailing_zeros());
        debugger.delete(id).unwrap();
        debugger.go_to(0);
        let thread = ThreadId { block: 0, warp: 1, lane: 30 };
        let id = debugger.add_breakpoint(line(8), None, Some(thread)).unwrap();
        assert_eq!(debugger.go_on(), Stop::Breakpoint { id, lanes: 1 << 30 });
        assert_eq!(debugger.focus(), thread);
        debugger.go_to(0);
        debugger.ignore(id, 1).unwrap();
        assert_eq!(debugger.go_on(), Stop::Ended);
    });
}

#[test]
fn a_pause_stops_a_launch_that_would_not_end() {
    let text = ".version 7.0 .target sm_70 .address_size 64
        .entry k() { .reg .u32 %a; again: add.u32 %a, %a, 1; bra again; }";
    Program::new(text, "k", 32).debug("in-order", |mut debugger| {
        let pause = debugger.pause_flag();
        let waker = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            pause.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(debugger.go_on(), Stop::Paused);
        waker.join().unwrap();
    });
}

#[test]
fn another_schedule_from_here_on_is_kept_when_one_comes_back() {
    Program::hist().debug("in-order", |mut debugger| {
        debugger.go_to(30);
        debugger.set_schedule("reverse".parse().unwrap());
        debugger.go_to(90);
        let steps = |debugger: &Debugger<'_>| -> Vec<_> {
            let steps = debugger.stepper().trace().steps();
            steps.iter().map(|step| (step.warp, step.pc(), step.mask)).collect()
        };
        let first = steps(&debugger);
        debugger.go_to(45);
        debugger.go_to(90);
        assert_eq!(steps(&debugger), first);
    });
}

#[test]
fn a_console_carries_on_after_whatever_is_typed() {
    let mut random = 12345u64;
    let words: Vec<&str> = Console::command_names()
        .chain(["s", "s[3]", "@0", "%r1", "if", "thread", "0:0:3", "1", "8", "-1", "[", ")", "f32"])
        .collect();
    Program::hist().debug("random:3", |debugger| {
        let mut console = Console::new(debugger);
        for _ in 0..2000 {
            let mut line = String::new();
            for _ in 0..3 {
                // Numbers as Knuth's MMIX has them.
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
                line += words[(random >> 33) as usize % words.len()];
                line.push(' ');
            }
            let said = console.execute(&line);
            if let Some(error) = said.error {
                assert!(!error.is_empty(), "{line}");
            }
        }
        let said = console.execute("delete; run");
        assert!(said.text.contains("completed"), "{said:?}");
    });
}

#[test]
fn a_buffer_outside_of_memory_is_an_error() {
    let mut program = Program::hist();
    let far = Buffer::new(9.into(), Pointer(0x10), Type::U32, 64);
    program.buffers.push(far);
    program.debug("in-order", |debugger| {
        assert!(debugger.evaluate("@9[0]").is_err());
        assert!(debugger.evaluate("@2[16]").is_err());
        assert!(debugger.evaluate("@2[-1]").is_err());
        assert!(debugger.target("@4", None).is_err());
    });
}
