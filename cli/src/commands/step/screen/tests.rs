//! The screen at known moments of a count of bytes with a barrier missing, and random keys.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use warpsim::host::{Argument, Device, Launch, Simulator};
use warpsim::ptx::Type;
use warpsim_debugger::text::Console;
use warpsim_debugger::{Buffer, Debugger, SourceFile, Sources};

use super::draw::{self, Paint};
use super::keys;
use super::state::{Flow, Screen};

const HIST: &str = include_str!("../../../../../docs/debugger/hist.ptx");
const SOURCE: &str = include_str!("../../../../../docs/debugger/hist.cu");
const BOOK: &str = include_str!("../../../../../docs/debugger.md");

/// A session with 64 threads that count 64 numbers, under a schedule that shows the mistake.
fn session(body: impl FnOnce(Screen<'_>)) {
    let module = warpsim::ptx::parse("hist.ptx", HIST).unwrap();
    let mut device = Simulator::default();
    device.settings_mut().schedule = "random:3".parse().unwrap();
    let handle = device.load(&module).unwrap();
    let input = device.allocate(64).unwrap();
    device.upload(input, &(0..64).collect::<Vec<u8>>()).unwrap();
    let bins = device.allocate(64).unwrap();
    device.upload(bins, &[0; 64]).unwrap();
    let buffers = vec![
        Buffer::new(0usize.into(), input, Type::U8, 64),
        Buffer::new(2usize.into(), bins, Type::U32, 64),
    ];
    let arguments = [Argument::Pointer(input), Argument::I32(64), Argument::Pointer(bins)];
    let launch = Launch::new(1, 64);
    let stepper = device.stepper(handle, "hist", &launch, &arguments).unwrap();
    let sources = Sources::with_files(module.source.clone(), |name| {
        (name == "hist.cu").then(|| SourceFile { path: name.into(), text: SOURCE.into() })
    });
    let console = Console::new(Debugger::new(stepper, sources, buffers));
    body(Screen::new(console, Paint { is_coloured: false }));
}

/// The screen as lines, without blanks at their ends.
fn drawn(screen: &Screen<'_>, width: u16, height: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw::draw(screen, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |y: u16| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| row(y).trim_end().to_owned()).collect()
}

fn press(screen: &mut Screen<'_>, code: KeyCode) -> Flow {
    press_with(screen, code, KeyModifiers::NONE)
}

fn press_with(screen: &mut Screen<'_>, code: KeyCode, modifiers: KeyModifiers) -> Flow {
    let action = keys::action(screen, KeyEvent::new(code, modifiers));
    screen.carry_out(action)
}

fn types(screen: &mut Screen<'_>, text: &str) {
    for letter in text.chars() {
        let code = if letter == '\n' { KeyCode::Enter } else { KeyCode::Char(letter) };
        press(screen, code);
    }
}

fn line_with<'l>(lines: &'l [String], text: &str) -> &'l str {
    let found = lines.iter().find(|line| line.contains(text));
    found.unwrap_or_else(|| panic!("no line has `{text}`:\n{}", lines.join("\n")))
}

/// At the moment of the book: warp 0 has read a count that warp 1 has not finished.
fn at_the_mistake(screen: &mut Screen<'_>) {
    types(screen, ":watch @2[0]\n:continue\n:reverse-continue\n");
}

#[test]
fn the_screen_shows_the_line_the_lanes_and_the_registers_at_both_sizes() {
    session(|mut screen| {
        at_the_mistake(&mut screen);
        for (width, height) in [(80, 24), (120, 40)] {
            let lines = drawn(&screen, width, height);
            let all = lines.join("\n");
            // All lanes of warp 0 that count are at line 10.
            let here = line_with(&lines, "->  10");
            assert!(here.contains("atomicAdd(&bins[threadIdx.x]"), "{all}");
            assert!(here.ends_with("################................"), "{all}");
            assert!(line_with(&lines, "%r16=").contains("%r16=2"), "{all}");
            assert!(line_with(&lines, "%r17=").contains("%r17=-"), "{all}");
            assert!(line_with(&lines, "-- memory").contains("s u32[16] (1 of 3, m)"), "{all}");
            assert!(line_with(&lines, "-> warp 0").ends_with("+.----- ready"), "{all}");
        }
    });
}

#[test]
fn the_screen_of_the_book_is_the_one_that_is_drawn() {
    session(|mut screen| {
        at_the_mistake(&mut screen);
        let lines = drawn(&screen, 80, 24);
        let all = lines.join("\n");
        assert!(BOOK.contains(&all), "docs/debugger.md has another screen than:\n{all}");
    });
}

#[test]
fn keys_move_forwards_and_backwards_and_mark_what_has_changed() {
    session(|mut screen| {
        types(&mut screen, "g");
        let first = drawn(&screen, 100, 30);
        types(&mut screen, "ss");
        let second = drawn(&screen, 100, 30);
        assert!(line_with(&second, "%r1=").contains("*%r1="), "{}", second.join("\n"));
        types(&mut screen, "SSg");
        assert_eq!(screen.view.moment, 0);
        assert_eq!(line_with(&drawn(&screen, 100, 30), "->"), line_with(&first, "->"));
        types(&mut screen, "G");
        assert_eq!(screen.view.outcome.as_deref(), Some("completed"));
        let end = drawn(&screen, 100, 30);
        assert!(line_with(&end, "warp 1").ends_with("exited"), "{}", end.join("\n"));
    });
}

#[test]
fn breakpoints_and_watchpoints_are_toggled_at_the_cursor_and_the_cell() {
    session(|mut screen| {
        while screen.cursor < 8 {
            press(&mut screen, KeyCode::Down);
        }
        types(&mut screen, "b");
        assert!(line_with(&drawn(&screen, 80, 24), "*").starts_with("* >   8"));
        types(&mut screen, "c");
        assert_eq!(screen.view.line(), Some(8));
        types(&mut screen, "b");
        assert!(screen.debugger().breakpoints().is_empty());
        press(&mut screen, KeyCode::Right);
        types(&mut screen, "w");
        assert_eq!(screen.debugger().watches().len(), 1);
        types(&mut screen, "c");
        let lines = drawn(&screen, 80, 24);
        // The step counted in the selected cell; the last line says who did so.
        assert!(lines.iter().any(|line| line.contains("[2a")), "{}", lines.join("\n"));
        let detail = format!("! s[1] = 2 step {} warp 1 lanes 1, 17", screen.view.moment - 1);
        assert!(line_with(&lines, "! s[1]").ends_with(&detail), "{}", lines.join("\n"));
        types(&mut screen, "w");
        assert!(screen.debugger().watches().is_empty());
    });
}

#[test]
fn the_text_is_the_ptx_after_tab_and_lanes_are_behind_its_lines() {
    session(|mut screen| {
        types(&mut screen, "ss");
        press(&mut screen, KeyCode::Tab);
        let lines = drawn(&screen, 80, 24);
        assert!(line_with(&lines, "-- PTX: hist.ptx").starts_with("--"), "{}", lines.join("\n"));
        assert!(line_with(&lines, "->").trim_end().ends_with('#'), "{}", lines.join("\n"));
    });
}

#[test]
fn mistakes_in_commands_are_told_and_the_session_goes_on() {
    session(|mut screen| {
        types(&mut screen, ":nonsense\n");
        let lines = drawn(&screen, 80, 24);
        assert!(line_with(&lines, "error: ").contains("nonsense"));
        // A command is completed and brought back.
        types(&mut screen, ":reverse-c");
        press(&mut screen, KeyCode::Tab);
        assert_eq!(screen.input.as_deref(), Some("reverse-continue"));
        press(&mut screen, KeyCode::Up);
        assert_eq!(screen.input.as_deref(), Some("nonsense"));
        press(&mut screen, KeyCode::Esc);
        assert_eq!(press(&mut screen, KeyCode::Char('q')), Flow::Leaves);
    });
}

#[test]
fn a_small_terminal_says_how_large_it_has_to_be() {
    session(|screen| {
        let lines = drawn(&screen, 40, 10);
        assert!(lines.join(" ").contains("needs 70 columns and 16 lines"), "{lines:?}");
    });
}

/// Numbers without a pattern (Marsaglia, "Xorshift RNGs", 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

#[test]
fn no_keys_and_no_size_of_the_terminal_make_it_fail() {
    let letters = "snfitcSNFITCgGbw[]{}<>mMorp:?xl13 ;";
    let others = [
        KeyCode::Tab,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Backspace,
    ];
    let keys: Vec<KeyCode> = letters.chars().map(KeyCode::Char).chain(others).collect();
    session(|mut screen| {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        for _ in 0..2000 {
            let key = keys[numbers.below(keys.len())];
            let modifiers = match numbers.below(8) {
                0 => KeyModifiers::CONTROL,
                _ => KeyModifiers::NONE,
            };
            press_with(&mut screen, key, modifiers);
            let size = (1 + numbers.below(200), 1 + numbers.below(60));
            drawn(&screen, size.0 as u16, size.1 as u16);
        }
        for (width, height) in [(1, 1), (70, 16), (71, 17), (200, 60)] {
            drawn(&screen, width, height);
        }
    });
}
