//! Variables of the source by their names, in PTX of clang and of NVRTC. What they have to hold
//! follows from the text of `variables.cu`.

use warpsim::host::{Argument, Launch};
use warpsim::ptx::Type;
use warpsim_debugger::text::Console;
use warpsim_debugger::{Debugger, Stop, ThreadId};

use super::Program;

const SOURCE: &str = include_str!("variables.cu");
const CLANG: &str = include_str!("clang.ptx");
const NVRTC: &str = include_str!("nvrtc.ptx");

const THREADS: i32 = 64;
const N: i32 = 60;
const SHIFT: (i16, f64) = (7, 2.5);

fn program(text: &str) -> Program {
    let mut program = Program::new(text, "k", THREADS as u32);
    program.launch = Launch::new(2, THREADS as u32);
    let cells: Vec<u8> = (0..2 * THREADS).flat_map(|k| (4 * k).to_le_bytes()).collect();
    program.buffer(&cells, Type::S32);
    program.arguments.push(Argument::I32(N));
    let (x, y) = SHIFT;
    program.arguments.push(Argument::structure(16, [(0, Argument::I16(x)), (8, Argument::F64(y))]));
    program.buffer(&vec![0; 8 * THREADS as usize], Type::S32);
    program
}

/// The line of the source that begins like this.
fn line(of: &str) -> usize {
    SOURCE.lines().position(|line| line.trim_start().starts_with(of)).unwrap() + 1
}

/// What a command says.
fn said(console: &mut Console<'_>, command: &str) -> String {
    let said = console.execute(command);
    assert_eq!(said.error, None, "{command}");
    said.text
}

/// The value of an expression.
fn value(console: &mut Console<'_>, expression: &str) -> String {
    let text = said(console, &format!("print {expression}"));
    text.strip_prefix(&format!("{expression} = ")).unwrap().to_owned()
}

/// For each compiler, a session that has stopped at a line.
fn at_line(of: &str, mut session: impl FnMut(&str, &mut Console<'_>)) {
    for (compiler, text) in [("clang", CLANG), ("nvrtc", NVRTC)] {
        program(text).debug("in-order", |debugger| {
            let mut console = Console::new(debugger);
            said(&mut console, &format!("break variables.cu:{}; continue", line(of)));
            session(compiler, &mut console);
        });
    }
}

fn thread(debugger: &Debugger<'_>) -> (i32, ThreadId) {
    let focus = debugger.focus();
    let thread = (focus.warp * 32 + focus.lane) as i32;
    (focus.block as i32 * THREADS + thread, focus)
}

#[test]
fn each_variable_has_the_value_that_the_source_gives_it_in_each_lane() {
    at_line("int t = fold", |compiler, console| {
        for lane in 0..32 {
            said(console, &format!("lane {lane}"));
            let (i, focus) = thread(console.debugger());
            let mut holds = |expression: &str, expected: String| {
                assert_eq!(value(console, expression), expected, "{compiler}, {expression}, {i}");
            };
            holds("i", i.to_string());
            holds("n", N.to_string());
            holds("n - i * 2", (N - 2 * i).to_string());
            for j in 0..4 {
                holds(&format!("squares[{j}]"), (j * j + i).to_string());
            }
            holds("squares", format!("{{{i}, {}, {}, {}}}", i + 1, i + 4, i + 9));
            holds("odd", (i % 2 == 1).to_string());
            let letter = b'a' + (i % 26) as u8;
            holds("letter", format!("{letter} '{}'", letter as char));
            holds("wide", (-5_000_000_000 - i64::from(i)).to_string());
            holds("colour", if i % 2 == 1 { "BLUE" } else { "RED" }.to_owned());
            let id = i + 1 + (f64::from(i) * 0.5 + 0.25) as i32;
            holds("alias", id.to_string());
            holds("thing.at.x", (-i).to_string());
            holds("thing.corners[0].x", SHIFT.0.to_string());
            holds("thing.corners[1].x", (-i).to_string());
            holds("thing.low", (i % 8).to_string());
            holds("thing.high", "-3".to_owned());
            holds("thing.id", id.to_string());
            holds("thing.self->id", id.to_string());
            holds("(*thing.self).corners[0].x", SHIFT.0.to_string());
            holds("thing.self->self->low * 2", (i % 8 * 2).to_string());
            holds("shift.x + 1", (SHIFT.0 + 1).to_string());
            holds("table[1]", "{4, 5, 6}".to_owned());
            holds("table[1][2]", "6".to_owned());
            holds("a[5]", "20".to_owned());
            holds("*a", "0".to_owned());
            // NVRTC says nothing of the shared array of a function.
            if compiler == "clang" {
                let own = (focus.warp * 32 + focus.lane) as i32;
                let expected = if i < N { 4 * i } else { 0 };
                holds(&format!("cells[{own}]"), expected.to_string());
            }
            let mut is = |expression: &str, expected: f64| {
                let found: f64 = value(console, expression).parse().unwrap();
                assert_eq!(found, expected, "{compiler}, {expression}, {i}");
            };
            is("half", f64::from(i) * 0.5);
            is("thing.at.y", f64::from(i) + SHIFT.1);
            is("thing.self->corners[0].y", SHIFT.1);
            is("shift.y", SHIFT.1);
        }
        // `t` comes later, and the `j`s belong to blocks that have ended.
        let locals = said(console, "info locals");
        let of = |start: &str| locals.lines().find(|line| line.starts_with(start));
        assert_eq!(of("int cells[64] = ").is_some(), compiler == "clang", "{locals}");
        assert!(of("Thing thing = {{id = ").is_some(), "{compiler}: {locals}");
        assert!(of("int &alias = ").is_some(), "{compiler}: {locals}");
        assert!(of("word squares[4] = ").is_some(), "{compiler}: {locals}");
        assert!(of("bool odd = ").is_some(), "{compiler}: {locals}");
        assert!(of("long long wide = -5").is_some(), "{compiler}: {locals}");
        assert!(!locals.contains(" j = "), "{compiler}: {locals}");
        let error = console.execute("print j").error.unwrap();
        assert!(error.contains("nothing here has the name `j`"), "{compiler}: {error}");
        let error = console.execute("print thing.colour").error.unwrap();
        assert!(error.contains("has no member `colour`"), "{compiler}: {error}");
        for wrong in ["print squares[4]", "print i[0]", "print *i", "print i.x", "print table[2]"] {
            assert!(console.execute(wrong).error.is_some(), "{compiler}: {wrong}");
        }
    });
}

#[test]
fn arguments_have_their_names_and_values_from_the_first_instruction_on() {
    for (compiler, text) in [("clang", CLANG), ("nvrtc", NVRTC)] {
        program(text).debug("in-order", |debugger| {
            let mut console = Console::new(debugger);
            said(&mut console, "break k; continue");
            if compiler == "clang" {
                // They are in memory, and copied there first.
                said(&mut console, "delete; next");
            }
            let arguments = said(&mut console, "info args");
            let lines: Vec<&str> = arguments.lines().collect();
            assert!(lines[0].starts_with("const int *a = 0x"), "{compiler}: {arguments}");
            assert_eq!(lines[1], "int n = 60", "{compiler}: {arguments}");
            assert!(lines[3].starts_with("int *out = 0x"), "{compiler}: {arguments}");
            assert!(lines[4].starts_with("@0  s32[128] at 0x"), "{compiler}: {arguments}");
        });
    }
}

#[test]
fn scopes_decide_which_of_several_variables_a_name_means() {
    // The loop's `j` is an int, and the `j` of the block behind it is a double.
    at_line("squares[j] = ", |compiler, console| {
        let at = line("squares[j] = ");
        said(console, &format!("delete; break variables.cu:{at} thread 0:1:5; run"));
        for j in 0..4 {
            assert_eq!(value(console, "j"), j.to_string(), "{compiler}");
            said(console, "continue");
        }
    });
    at_line("alias += ", |compiler, console| {
        let (i, _) = thread(console.debugger());
        let j: f64 = value(console, "j").parse().unwrap();
        assert_eq!(j, f64::from(i) * 0.5 + 0.25, "{compiler}");
        let each = said(console, "each i");
        for lane in 0..32 {
            assert!(each.contains(&(i + lane).to_string()), "{compiler}: {each}");
        }
    });
}

#[test]
fn a_frame_of_the_call_stack_has_registers_and_variables_of_its_own() {
    at_line("sum += cell", |compiler, console| {
        said(console, "delete; thread 1:1:3");
        said(console, &format!("break variables.cu:{} thread 1:1:3", line("sum += cell")));
        said(console, "run");
        let (i, _) = thread(console.debugger());
        for k in 0..6 {
            assert_eq!(value(console, "k"), k.to_string(), "{compiler}");
            assert_eq!(value(console, "count"), "35", "{compiler}");
            let before: i32 = (0..k).map(|k| if 64 + k < N { 4 * (64 + k) } else { 0 }).sum();
            assert_eq!(value(console, "sum"), before.to_string(), "{compiler}");
            assert!(console.execute("print i").error.is_some(), "{compiler}");
            let inner = said(console, "info registers");
            let up = said(console, "up");
            assert!(up.starts_with("#1  k at variables.cu:"), "{compiler}: {up}");
            assert_eq!(value(console, "i"), i.to_string(), "{compiler}");
            assert_eq!(value(console, "squares[2]"), (i + 4).to_string(), "{compiler}");
            assert!(console.execute("print k").error.is_some(), "{compiler}");
            let outer = said(console, "info registers");
            assert!(outer.contains("frame 1"), "{compiler}: {outer}");
            assert_eq!(
                said(console, "down; info registers").lines().skip(1).collect::<Vec<_>>(),
                inner.lines().collect::<Vec<_>>(),
                "{compiler}"
            );
            said(console, "continue");
        }
        assert!(console.execute("frame 2").error.unwrap().contains("no frame 2"));
    });
}

#[test]
fn registers_of_a_caller_are_those_that_it_had_at_the_call() {
    for text in [CLANG, NVRTC, super::CALLS] {
        let mut program = if text == super::CALLS { Program::calls() } else { program(text) };
        program.debug("in-order", |mut debugger| {
            let thread = ThreadId { block: 0, warp: 0, lane: 3 };
            let all = |debugger: &Debugger<'_>, level| {
                let stepper = debugger.stepper();
                let registers = stepper.registers_of(0, 0, 3, level);
                (registers, stepper.written_in(0, 0, 3, level))
            };
            let mut before = all(&debugger, 0);
            let mut depth = 1;
            let mut calls = 0;
            while debugger.step_thread(1) != Stop::Ended {
                let frames = debugger.call_frames(thread).len();
                if frames > depth {
                    assert_eq!(all(&debugger, 1), before);
                    calls += 1;
                } else if frames == depth && frames == 2 {
                    assert_eq!(all(&debugger, 1).1, before.1, "the caller does not move");
                }
                if frames < 2 {
                    before = all(&debugger, 0);
                }
                depth = frames.max(1);
                if calls > 1 || debugger.pc(thread).is_none() {
                    break;
                }
            }
            assert!(calls > 0);
        });
    }
}

#[test]
fn an_inlined_call_has_variables_of_its_own() {
    at_line("return product + 1", |compiler, console| {
        let locals = said(console, "info locals");
        let arguments = said(console, "info args");
        assert_eq!(value(console, "factor"), "3", "{compiler}: {locals}\n{arguments}");
        assert_eq!(value(console, "product"), value(console, "value * 3"), "{compiler}");
    });
}

#[test]
fn variables_decide_conditions_and_can_be_watched() {
    for (compiler, text) in [("clang", CLANG), ("nvrtc", NVRTC)] {
        program(text).debug("in-order", |debugger| {
            let mut console = Console::new(debugger);
            let at = line("cells[THREAD] = ");
            let stop =
                format!("break variables.cu:{at} if i % 7 == 3 && squares[1] > 20; continue");
            said(&mut console, &stop);
            let focus = console.debugger().focus();
            let chosen: Vec<i32> = (0..32).filter(|i| i % 7 == 3 && i + 1 > 20).collect();
            assert_eq!(focus, ThreadId { block: 0, warp: 0, lane: chosen[0] as u32 }, "{compiler}");
            let (i, _) = thread(console.debugger());
            said(&mut console, "delete");
            // A cell in shared memory, a variable in local memory, and what a pointer leads to.
            let watched = said(&mut console, "watch cells[24] s32");
            assert_eq!(watched, "watchpoint 2: stops after writes to cells[24] of block 0");
            let written = said(&mut console, "continue");
            assert!(written.contains("cells[24] = 0 -> 96"), "{compiler}: {written}");
            said(&mut console, "delete");
            let watched = said(&mut console, "watch thing.id");
            let text = format!("writes to thing.id of block 0 warp 0 lane {i}");
            assert!(watched.contains(&text), "{compiler}: {watched}");
            let written = said(&mut console, "continue");
            let to = i + 1 + (f64::from(i) * 0.5 + 0.25) as i32;
            let change = format!("thing.id = {} -> {to}", i + 1);
            assert!(written.contains(&change), "{compiler}: {written}");
            let back = said(&mut console, "reverse-continue");
            assert!(back.contains(&change), "{compiler}: {back}");
            assert_eq!(value(&mut console, "thing.id"), (i + 1).to_string(), "{compiler}");
            said(&mut console, &format!("delete; watch out[{i}]; continue"));
            let (at, _) = thread(console.debugger());
            assert_eq!(at, i, "{compiler}");
            // Each lane has its own local variable.
            said(&mut console, "delete; goto 0");
            let error = console.execute("watch nothing_of_this_name").error.unwrap();
            assert!(error.contains("neither a register nor memory"), "{compiler}: {error}");
        });
    }
}

#[test]
fn wrong_sections_give_one_note_and_the_session_goes_on() {
    let cut = NVRTC.replacen(".b8 1\n.b8 17", ".b8 9\n.b8 17", 1);
    assert_ne!(cut, NVRTC);
    program(&cut).debug("in-order", |debugger| {
        let mut console = Console::new(debugger);
        said(&mut console, "break fold; continue");
        let locals = said(&mut console, "info locals");
        assert!(
            locals.starts_with("the debug information of the PTX cannot be read: "),
            "{locals}"
        );
        let error = console.execute("print sum").error.unwrap();
        assert!(error.contains("debug information of the PTX cannot be read"), "{error}");
        assert!(said(&mut console, "info registers").contains("%r1 = "));
        assert!(said(&mut console, "delete; continue").contains("completed"));
    });
    // And none at all.
    Program::hist().debug("in-order", |debugger| {
        let mut console = Console::new(debugger);
        said(&mut console, "turn 20");
        assert!(said(&mut console, "info locals").contains("no debug information"));
        let arguments = said(&mut console, "info args");
        assert!(arguments.contains("hist_param_1  u32 = 64"), "{arguments}");
        assert!(arguments.starts_with("@0  u8[64] at 0x"), "{arguments}");
    });
}
