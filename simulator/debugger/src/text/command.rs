//! The commands that a person can type: one table has their names, their arguments and their help.

use warpsim::ptx::Type;

use crate::breakpoints::Location;
use crate::error::near;
use crate::expression::Expression;
use crate::lines::{Over, Unit};
use crate::regions::WatchKind;
use crate::threads::ThreadId;
use crate::values::type_named;

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Command {
    /// To another line, this many times.
    Line {
        count: u64,
        unit: Unit,
        over: Over,
    },
    BackLine {
        count: u64,
        over: Over,
    },
    Instruction(u64),
    BackInstruction(u64),
    Turn(u64),
    Back(u64),
    Goto(usize),
    Continue(u64),
    BackContinue,
    Run,
    Break {
        location: Location,
        thread: Option<ThreadId>,
        condition: Option<Expression>,
    },
    Watch {
        what: String,
        ty: Option<Type>,
        kind: WatchKind,
        condition: Option<Expression>,
    },
    Delete(Removed),
    Ignore {
        id: u32,
        count: u64,
    },
    Print(String),
    Each(String),
    Registers(Option<u32>),
    Memory {
        what: String,
        ty: Option<Type>,
    },
    Who {
        what: String,
        ty: Option<Type>,
    },
    Lanes,
    Where,
    List(Option<u32>),
    Disassemble,
    Backtrace,
    /// To a frame of the call stack, by its number or this many further out.
    Frame(Frame),
    Info(Info),
    Focus(Focus),
    Schedule(String),
    Help(Option<String>),
    Detach,
    Quit,
}

/// What `delete` removes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Removed {
    Id(u32),
    At(Location),
    All,
}

/// Which frame of the call stack is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Same,
    Number(usize),
    Out(usize),
    In(usize),
}

/// What `info` lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Info {
    Breakpoints,
    Warps,
    Blocks,
    Barriers,
    Locals,
    Arguments,
    Registers,
    Frame,
    Variables,
    Functions,
}

/// Which thread is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Block(u64),
    Warp(u32),
    Lane(u32),
    Thread(ThreadId),
    /// `threadIdx`, and `blockIdx` of another block.
    Coordinates {
        thread: [u32; 3],
        block: Option<[u32; 3]>,
    },
}

/// A row of the table: the names, the arguments, and what it does.
pub(crate) struct Row {
    pub(crate) names: &'static [&'static str],
    pub(crate) arguments: &'static str,
    pub(crate) help: &'static str,
}

const fn row(names: &'static [&'static str], arguments: &'static str, help: &'static str) -> Row {
    Row { names, arguments, help }
}

/// All commands, in the order of `help`.
pub(crate) const TABLE: &[Row] = &[
    row(
        &["step", "s"],
        "[N] [warp|block]",
        "go to the next line of the thread, the warp or the block; into calls",
    ),
    row(&["next", "n"], "[N] [warp|block]", "go to the next line, over calls"),
    row(&["finish"], "", "go on until the function has returned"),
    row(&["stepi", "si"], "[N]", "execute one instruction of the thread in focus, or N"),
    row(&["turn", "t"], "[N]", "execute one instruction of the warp that the schedule moves, or N"),
    row(
        &["continue", "c"],
        "[N]",
        "go on to a breakpoint, a watchpoint or the end; pass over N stops",
    ),
    row(&["run"], "", "go back to the beginning, and on from there"),
    row(&["reverse-step", "rs"], "[N]", "go back to the line before"),
    row(&["reverse-next", "rn"], "[N]", "go back to the line before, over calls"),
    row(&["reverse-finish", "rf"], "", "go back to the call of the function"),
    row(&["reverse-stepi", "rsi"], "[N]", "take back an instruction of the thread in focus, or N"),
    row(
        &["reverse-continue", "rc"],
        "",
        "go back to a breakpoint, to before a watched access, or to the beginning",
    ),
    row(&["back", "b"], "[N]", "take back one instruction of any warp, or N"),
    row(&["goto"], "N", "go to the moment after N instructions"),
    row(
        &["break"],
        "PLACE [thread B:W:L] [if EXPR]",
        "stop at LINE of the PTX, FILE:LINE, FUNCTION or *ADDRESS",
    ),
    row(
        &["watch"],
        "WHAT [TYPE] [if EXPR]",
        "stop after writes to %REG, s, s[3], s[2..5], @0[1] or an address",
    ),
    row(&["rwatch"], "WHAT [TYPE] [if EXPR]", "stop after reads"),
    row(&["awatch"], "WHAT [TYPE] [if EXPR]", "stop after reads and writes"),
    row(
        &["delete", "d"],
        "[ID|PLACE]",
        "remove a breakpoint or watchpoint; all of them without ID",
    ),
    row(&["ignore"], "ID N", "pass over the next N hits of a breakpoint"),
    row(
        &["print", "p"],
        "EXPR",
        "the value of an expression for the thread in focus; a name means a variable of the source \
         (i, a[2], p->x, *p), else one of the PTX, else a number of the thread",
    ),
    row(&["each", "e"], "EXPR", "the value for each lane of the warp"),
    row(&["registers", "r"], "[LANE]", "the registers of the thread in focus, or of another lane"),
    row(
        &["mem", "m", "x"],
        "WHAT [TYPE]",
        "cells of a variable, of the buffer @K of argument K, or at an address",
    ),
    row(&["who"], "WHAT [TYPE]", "who wrote a register or cells last, and where"),
    row(&["lanes"], "", "where each lane of the warp is"),
    row(&["where", "w"], "", "the last instruction and the next"),
    row(&["list", "l"], "[LINE]", "the source around the thread, with the lanes at each line"),
    row(
        &["disassemble", "disas"],
        "",
        "the PTX around the thread, with the lanes at each instruction",
    ),
    row(&["backtrace", "bt"], "", "the calls that the thread is in"),
    row(&["frame", "f"], "[N]", "look at frame N of them: its registers and variables"),
    row(&["up"], "[N]", "look at the frame of the caller, or N further out"),
    row(&["down"], "[N]", "look at the frame of the called function, or N further in"),
    row(
        &["info", "i"],
        "WHAT",
        "locals, args, registers, frame, breakpoints, warps, blocks, barriers, variables or \
         functions",
    ),
    row(&["block", "warp", "lane"], "N", "look at another block, warp or lane"),
    row(&["thread"], "B:W:L or (X,Y,Z)", "look at another thread"),
    row(&["schedule"], "SCHEDULE", "go on under another schedule, for example random:7"),
    row(&["help", "h", "?"], "[COMMAND]", "this text"),
    row(&["detach"], "", "leave; under `exec` the program goes on"),
    row(&["quit", "q", "exit"], "", "leave; under `exec` the program ends"),
];

/// The text of `help`, of all commands or of one.
pub(crate) fn help(of: Option<&str>) -> Option<String> {
    let rows: Vec<&Row> =
        TABLE.iter().filter(|row| of.is_none_or(|of| row.names.contains(&of))).collect();
    let left = |row: &Row| format!("{} {}", row.names.join(", "), row.arguments);
    let line = |row: &&Row| format!("{:<38} {}", left(row).trim_end(), row.help);
    let lines: Vec<String> = rows.iter().map(line).collect();
    if lines.is_empty() {
        return None;
    }
    let end = "`;` separates commands on a line, and `#` begins a comment. An empty line repeats the \
               last command.";
    let mut text = lines.join("\n");
    if of.is_none() {
        text = format!("{text}\n{end}");
    }
    Some(text)
}

impl Command {
    /// Reads a command; the error explains why it cannot.
    pub(crate) fn parse(text: &str) -> Result<Command, String> {
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let row = TABLE.iter().find(|row| row.names.contains(&word));
        let Some(row) = row else { return Err(unknown(word)) };
        let count = || count(rest);
        let none = |command| match rest.is_empty() {
            true => Ok(command),
            false => Err(format!("`{word}` does not take `{rest}`")),
        };
        match row.names.first().copied().unwrap_or_default() {
            "step" => line(rest, Over::Nothing),
            "next" => line(rest, Over::Calls),
            "finish" => none(Command::Line { count: 1, unit: Unit::Thread, over: Over::Function }),
            "stepi" => Ok(Command::Instruction(count()?)),
            "turn" => Ok(Command::Turn(count()?)),
            "continue" => Ok(Command::Continue(if rest.is_empty() { 0 } else { count()? })),
            "run" => none(Command::Run),
            "reverse-step" => Ok(Command::BackLine { count: count()?, over: Over::Nothing }),
            "reverse-next" => Ok(Command::BackLine { count: count()?, over: Over::Calls }),
            "reverse-finish" => none(Command::BackLine { count: 1, over: Over::Function }),
            "reverse-stepi" => Ok(Command::BackInstruction(count()?)),
            "reverse-continue" => none(Command::BackContinue),
            "back" => Ok(Command::Back(count()?)),
            "goto" => Ok(Command::Goto(number(rest, "how many instructions")?)),
            "break" => breakpoint(rest),
            "watch" => watch(rest, WatchKind::Writes),
            "rwatch" => watch(rest, WatchKind::Reads),
            "awatch" => watch(rest, WatchKind::Accesses),
            "delete" => removed(rest).map(Command::Delete),
            "ignore" => {
                let (id, count) = rest.split_once(char::is_whitespace).unwrap_or((rest, "1"));
                let id = number(id, "which breakpoint")?;
                Ok(Command::Ignore { id, count: number(count.trim(), "how many hits")? })
            }
            "print" => Ok(Command::Print(some(rest, "what? for example: print %r5 + 1")?)),
            "each" => Ok(Command::Each(some(rest, "what? for example: each %r5")?)),
            "registers" => Ok(Command::Registers(lane(rest)?)),
            "mem" => {
                let (what, ty) = typed(rest)?;
                Ok(Command::Memory { what, ty })
            }
            "who" => {
                let (what, ty) = typed(rest)?;
                Ok(Command::Who { what, ty })
            }
            "lanes" => none(Command::Lanes),
            "where" => none(Command::Where),
            "list" => match rest {
                "" => Ok(Command::List(None)),
                line => Ok(Command::List(Some(number(line, "which line")?))),
            },
            "disassemble" => none(Command::Disassemble),
            "backtrace" => none(Command::Backtrace),
            "frame" => Ok(Command::Frame(match rest {
                "" => Frame::Same,
                frame => Frame::Number(number(frame, "which frame")?),
            })),
            "up" => Ok(Command::Frame(Frame::Out(as_usize(count()?)))),
            "down" => Ok(Command::Frame(Frame::In(as_usize(count()?)))),
            "info" => info(rest).map(Command::Info),
            "block" => Ok(Command::Focus(match word {
                "block" => Focus::Block(number(rest, "which block")?),
                "warp" => Focus::Warp(number(rest, "which warp")?),
                _ => Focus::Lane(lane(rest)?.ok_or("which lane? there are 0 to 31")?),
            })),
            "thread" => Ok(Command::Focus(match coordinates(rest) {
                Some(focus) => focus,
                None => Focus::Thread(thread(rest)?),
            })),
            "schedule" => {
                Ok(Command::Schedule(some(rest, "which one? for example: schedule random:7")?))
            }
            "help" => Ok(Command::Help((!rest.is_empty()).then(|| rest.to_owned()))),
            "detach" => none(Command::Detach),
            "quit" => none(Command::Quit),
            other => Err(format!("`{other}` is in the table and not read: a bug of warpsim")),
        }
    }
}

fn unknown(word: &str) -> String {
    let names = TABLE.iter().flat_map(|row| row.names).copied();
    match near(word, names).as_slice() {
        [] => format!("there is no command `{word}`; `help` lists them"),
        near => format!("there is no command `{word}`; did you mean {}?", near.join(" or ")),
    }
}

fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, String> {
    if text.is_empty() {
        return Err(format!("{what}?"));
    }
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn count(text: &str) -> Result<u64, String> {
    if text.is_empty() { Ok(1) } else { number(text, "how many") }
}

/// A count of things in memory.
fn as_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn some(text: &str, question: &str) -> Result<String, String> {
    if text.is_empty() { Err(question.to_owned()) } else { Ok(text.to_owned()) }
}

fn lane(text: &str) -> Result<Option<u32>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let lane = text.parse().ok().filter(|lane| *lane < 32);
    lane.map(Some).ok_or_else(|| format!("`{text}` is not a lane: there are 0 to 31"))
}

/// `B:W:L`.
fn thread(text: &str) -> Result<ThreadId, String> {
    let wrong =
        || format!("`{text}` is not a thread: say BLOCK:WARP:LANE, for example 0:1:31, or (X,Y,Z)");
    let parts: Vec<&str> = text.split(':').collect();
    let [block, warp, lane] = parts.as_slice() else { return Err(wrong()) };
    let lane: u32 = lane.parse().map_err(|_| wrong())?;
    match lane < 32 {
        true => Ok(ThreadId {
            block: block.parse().map_err(|_| wrong())?,
            warp: warp.parse().map_err(|_| wrong())?,
            lane,
        }),
        false => Err(wrong()),
    }
}

/// `(64,0,0)`, and `(64,0,0) of block (1,0,0)`: as findings name threads.
fn coordinates(text: &str) -> Option<Focus> {
    let index = |text: &str| -> Option<[u32; 3]> {
        let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
        let mut index = [0; 3];
        for (at, part) in inside.split(',').enumerate() {
            *index.get_mut(at)? = part.trim().parse().ok()?;
        }
        Some(index)
    };
    match text.split_once("of block") {
        Some((thread, block)) => {
            Some(Focus::Coordinates { thread: index(thread)?, block: Some(index(block)?) })
        }
        None => Some(Focus::Coordinates { thread: index(text)?, block: None }),
    }
}

/// `[N] [thread|warp|block]`.
fn line(text: &str, over: Over) -> Result<Command, String> {
    let mut command = (1, Unit::Thread);
    for word in text.split_whitespace() {
        match word {
            "thread" => command.1 = Unit::Thread,
            "warp" => command.1 = Unit::Warp,
            "block" => command.1 = Unit::Block,
            count => command.0 = number(count, "how many lines")?,
        }
    }
    let (count, unit) = command;
    Ok(Command::Line { count, unit, over })
}

/// `LINE`, `FILE:LINE`, `*ADDRESS` or a function.
fn location(text: &str) -> Result<Location, String> {
    if let Some(address) = text.strip_prefix('*') {
        let pc = match address.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => address.parse().ok(),
        };
        return pc
            .map(Location::Address)
            .ok_or_else(|| format!("`{address}` is not the address of an instruction"));
    }
    if let Ok(line) = text.parse() {
        return Ok(Location::Line { file: None, line });
    }
    let in_file = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Ok(match in_file {
        Some((file, line)) if !file.ends_with(':') => {
            Location::Line { file: Some(file.to_owned()), line }
        }
        Some(_) | None => Location::Function(text.to_owned()),
    })
}

/// The text before ` if `, and the condition behind it.
fn condition(text: &str) -> Result<(&str, Option<Expression>), String> {
    match text.split_once(" if ") {
        Some((before, condition)) => {
            let condition = Expression::parse(condition).map_err(|error| error.to_string())?;
            Ok((before.trim(), Some(condition)))
        }
        None => Ok((text.trim(), None)),
    }
}

fn breakpoint(text: &str) -> Result<Command, String> {
    if text.is_empty() {
        return Err("where? for example: break 12, break scan.cu:15 or break scan".to_owned());
    }
    let (place, condition) = condition(text)?;
    let (place, thread) = match place.split_once(" thread ") {
        Some((place, id)) => (place.trim(), Some(self::thread(id.trim())?)),
        None => (place, None),
    };
    Ok(Command::Break { location: location(place)?, thread, condition })
}

fn watch(text: &str, kind: WatchKind) -> Result<Command, String> {
    let (what, condition) = condition(text)?;
    let (what, ty) = typed(what)?;
    Ok(Command::Watch { what, ty, kind, condition })
}

/// An expression, and the type behind it.
fn typed(text: &str) -> Result<(String, Option<Type>), String> {
    let text = some(text, "of what? for example: s, s[3], @0[5], %r1 or an address")?;
    let Some((what, last)) = text.rsplit_once(char::is_whitespace) else {
        return Ok((text, None));
    };
    match (type_named(last), last.chars().all(|c| c.is_ascii_alphanumeric())) {
        (Some(ty), _) => Ok((what.trim().to_owned(), Some(ty))),
        // `s[1] q32` names no type; `s[lane + 1]` is an expression.
        (None, true) if what.ends_with([']', ' ']) || !what.contains(['[', '(', '+', '-', '*']) => {
            Err(format!("`{last}` is not a type; for example s32, u64, f32 or b8"))
        }
        (None, _) => Ok((text, None)),
    }
}

fn removed(text: &str) -> Result<Removed, String> {
    match text {
        "" => Ok(Removed::All),
        text => match text.parse() {
            Ok(id) => Ok(Removed::Id(id)),
            Err(_) => location(text).map(Removed::At),
        },
    }
}

fn info(text: &str) -> Result<Info, String> {
    let all = [
        ("breakpoints", Info::Breakpoints),
        ("warps", Info::Warps),
        ("blocks", Info::Blocks),
        ("barriers", Info::Barriers),
        ("locals", Info::Locals),
        ("registers", Info::Registers),
        ("frame", Info::Frame),
        ("args", Info::Arguments),
        ("variables", Info::Variables),
        ("functions", Info::Functions),
    ];
    let is = |name: &str| !text.is_empty() && name.starts_with(text);
    let found = all.iter().find(|(name, _)| is(name)).map(|(_, info)| *info);
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    found.ok_or_else(|| format!("info lists {}; not `{text}`", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_short_forms_and_arguments() {
        let step = |count, unit| Command::Line { count, unit, over: Over::Nothing };
        assert_eq!(Command::parse("s"), Ok(step(1, Unit::Thread)));
        assert_eq!(Command::parse("  step  20 warp "), Ok(step(20, Unit::Warp)));
        assert_eq!(Command::parse("t 3"), Ok(Command::Turn(3)));
        assert_eq!(Command::parse("b 3"), Ok(Command::Back(3)));
        assert_eq!(Command::parse("p %r5"), Ok(Command::Print("%r5".to_owned())));
        let location = Location::Line { file: Some("scan.cu".into()), line: 15 };
        let condition = Expression::parse("%r1 > 3").ok();
        let thread = Some(ThreadId { block: 0, warp: 1, lane: 2 });
        assert_eq!(
            Command::parse("break scan.cu:15 thread 0:1:2 if %r1 > 3"),
            Ok(Command::Break { location, thread, condition })
        );
        let function = Location::Function("sums::fold".into());
        let all = Command::Break { location: function, thread: None, condition: None };
        assert_eq!(Command::parse("break sums::fold"), Ok(all));
        let memory = Command::Memory { what: "s".to_owned(), ty: Some(Type::F32) };
        assert_eq!(Command::parse("mem s f32"), Ok(memory));
        let watch = |what: &str, ty| Command::Watch {
            what: what.to_owned(),
            ty,
            kind: WatchKind::Writes,
            condition: None,
        };
        assert_eq!(Command::parse("watch @1[lane + 2]"), Ok(watch("@1[lane + 2]", None)));
        assert_eq!(Command::parse("watch s[1] f32"), Ok(watch("s[1]", Some(Type::F32))));
    }

    #[test]
    fn bad_commands_are_errors_that_say_what_to_do() {
        for text in [
            "jump",
            "step x",
            "turn -1",
            "print",
            "registers 32",
            "mem",
            "mem s q32",
            "break",
            "break 3 if 1 +",
            "break 3 thread 1",
            "quit now",
            "lane",
            "turn 1 2",
            "goto",
            "info nothing",
            "info",
            "thread 0:0:32",
            "ignore",
            "schedule",
        ] {
            assert!(Command::parse(text).is_err(), "{text}");
        }
        let error = Command::parse("contineu").unwrap_err();
        assert_eq!(error, "there is no command `contineu`; did you mean `continue`?");
    }

    #[test]
    fn each_name_in_the_table_is_of_one_command_that_is_read() {
        let names: Vec<&str> = TABLE.iter().flat_map(|row| row.names).copied().collect();
        let mut once = names.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), names.len());
        for name in names {
            let error = Command::parse(name).err().unwrap_or_default();
            assert!(!error.contains("bug"), "{error}");
            assert!(help(Some(name)).is_some());
        }
    }
}
