//! The commands that a user can type at the debugger.

use std::fmt;

use warpsim::host::{ArgumentPlace, NoArgumentPlace};
use warpsim::lower;
use warpsim::ptx::Type;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Step(u64),
    Back(u64),
    Goto(usize),
    Continue,
    Break(Line),
    Delete(Line),
    Breakpoints,
    Registers(Option<u32>),
    Print { register: String, lane: Option<u32> },
    Memory { what: Place, ty: Option<Type> },
    Lanes,
    Where,
    List,
    Focus(Focus),
    Help,
    Quit,
}

/// A line to stop at: of the PTX text, or of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) file: Option<String>,
    pub(crate) line: u32,
}

impl Line {
    /// Whether an instruction is of this line: of the PTX text, of the source, or of a call of the
    /// source into which it was inlined.
    pub(crate) fn is_at(&self, place: &lower::Place) -> bool {
        let Some(file) = &self.file else { return self.line == place.line };
        let is_it = |of: &str, line: u32| {
            line == self.line && (of == file || of.ends_with(&format!("/{file}")))
        };
        let in_ptx = place.file.as_ref().is_some_and(|of| is_it(of, place.line));
        in_ptx
            || place.source.as_ref().is_some_and(|source| {
                is_it(&source.file, source.line)
                    || source.inlined_at.iter().any(|call| is_it(&call.file, call.line))
            })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}:{}", self.line),
            None => write!(f, "PTX line {}", self.line),
        }
    }
}

/// Memory to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A shared variable.
    Symbol(String),
    /// The buffer of a parameter.
    Parameter(ArgumentPlace),
}

/// Which block, warp and lane is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Focus {
    Block(u64),
    Warp(u32),
    Lane(u32),
}

/// The text of `help`.
pub(crate) const HELP: &str = "\
step, s [N]             execute one warp instruction, or N
back, b [N]             take back one, or N
goto N                  go to the moment after N instructions
continue, c             go on to a breakpoint or the end
break LINE              stop before a line of the PTX text; FILE:LINE for a source line
delete LINE, breaks     remove a breakpoint; list them
print, p %REG [LANE]    a register, in all lanes or in one
registers, r [LANE]     all registers of the lane in focus, or of another
mem SYMBOL [TYPE]       a shared variable as cells (s32 if nothing else is said)
mem @K [TYPE]           the buffer of parameter K; @K.16 of the struct K, at byte 16
lanes                   where each lane of the warp is
where, w                the last instruction and the next
list, l                 the PTX text around the next instruction
block N, warp N, lane N look at another block, warp or lane
help, h                 this text
quit, q                 leave
Commands may stand on one line with `;` between them. An empty line repeats the last one.";

impl Command {
    /// Reads a command; the error says what is wrong.
    pub(crate) fn parse(text: &str) -> Result<Command, String> {
        let mut words = text.split_whitespace();
        let word = words.next().unwrap_or_default();
        let arguments: Vec<&str> = words.collect();
        let first = arguments.first().copied();
        let command = match word {
            "step" | "s" => Command::Step(count(first)?),
            "back" | "b" => Command::Back(count(first)?),
            "goto" => Command::Goto(number(first, "how many instructions")?),
            "continue" | "c" => Command::Continue,
            "break" => Command::Break(line(first)?),
            "delete" => Command::Delete(line(first)?),
            "breaks" => Command::Breakpoints,
            "registers" | "r" => Command::Registers(lane(first)?),
            "print" | "p" => {
                let register = first.ok_or("which register? for example: print %r5")?.to_owned();
                Command::Print { register, lane: lane(arguments.get(1).copied())? }
            }
            "mem" | "m" => memory(first, arguments.get(1).copied())?,
            "lanes" => Command::Lanes,
            "where" | "w" => Command::Where,
            "list" | "l" => Command::List,
            "block" => Command::Focus(Focus::Block(number(first, "which block")?)),
            "warp" => Command::Focus(Focus::Warp(number(first, "which warp")?)),
            "lane" => Command::Focus(Focus::Lane(lane(first)?.ok_or("which lane?")?)),
            "help" | "h" | "?" => Command::Help,
            "quit" | "q" | "exit" => Command::Quit,
            _ => return Err(format!("there is no command `{word}`; try help")),
        };
        if arguments.len() > command.most_arguments() {
            return Err(format!("`{word}` does not take `{}`", arguments.join(" ")));
        }
        Ok(command)
    }

    fn most_arguments(&self) -> usize {
        match self {
            Command::Print { .. } | Command::Memory { .. } => 2,
            Command::Continue | Command::Breakpoints | Command::Lanes | Command::Where => 0,
            Command::List | Command::Help | Command::Quit => 0,
            _ => 1,
        }
    }
}

fn number<T: std::str::FromStr>(text: Option<&str>, what: &str) -> Result<T, String> {
    let text = text.ok_or_else(|| format!("{what}?"))?;
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn count(text: Option<&str>) -> Result<u64, String> {
    text.map_or(Ok(1), |text| number(Some(text), "how many"))
}

fn lane(text: Option<&str>) -> Result<Option<u32>, String> {
    let Some(text) = text else { return Ok(None) };
    let lane = text.parse().ok().filter(|lane| *lane < 32);
    lane.map(Some).ok_or_else(|| format!("`{text}` is not a lane: there are 0 to 31"))
}

fn line(text: Option<&str>) -> Result<Line, String> {
    let text = text.ok_or("at which line? for example: break 12, or break scan.cu:15")?;
    match text.rsplit_once(':') {
        Some((file, line)) => {
            Ok(Line { file: Some(file.to_owned()), line: number(Some(line), "which line")? })
        }
        None => Ok(Line { file: None, line: number(Some(text), "which line")? }),
    }
}

fn memory(what: Option<&str>, ty: Option<&str>) -> Result<Command, String> {
    let what = what.ok_or("of what? a shared variable, or @K for the buffer of parameter K")?;
    let place = match what.strip_prefix('@') {
        Some(k) => Place::Parameter(k.parse().map_err(|e: NoArgumentPlace| e.to_string())?),
        None => Place::Symbol(what.to_owned()),
    };
    let ty = match ty {
        None => None,
        Some(name) => Some(type_named(name).ok_or_else(|| format!("`{name}` is not a type"))?),
    };
    Ok(Command::Memory { what: place, ty })
}

fn type_named(name: &str) -> Option<Type> {
    let types = [
        Type::B8,
        Type::U8,
        Type::S8,
        Type::B16,
        Type::U16,
        Type::S16,
        Type::F16,
        Type::Bf16,
        Type::B32,
        Type::U32,
        Type::S32,
        Type::F32,
        Type::B64,
        Type::U64,
        Type::S64,
        Type::F64,
    ];
    let name = name.trim_start_matches('.');
    types.into_iter().find(|ty| ty.to_string().trim_start_matches('.') == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_short_forms_and_arguments() {
        assert_eq!(Command::parse("s"), Ok(Command::Step(1)));
        assert_eq!(Command::parse("  step  20 "), Ok(Command::Step(20)));
        assert_eq!(Command::parse("b 3"), Ok(Command::Back(3)));
        let register = "%r5".to_owned();
        assert_eq!(Command::parse("p %r5 3"), Ok(Command::Print { register, lane: Some(3) }));
        let line = Line { file: Some("scan.cu".into()), line: 15 };
        assert_eq!(Command::parse("break scan.cu:15"), Ok(Command::Break(line)));
        let memory = Command::Memory { what: Place::Symbol("s".into()), ty: Some(Type::F32) };
        assert_eq!(Command::parse("mem s f32"), Ok(memory));
        let buffer = Command::Memory { what: Place::Parameter(1.into()), ty: None };
        assert_eq!(Command::parse("mem @1"), Ok(buffer));
    }

    #[test]
    fn what_is_no_command_is_told() {
        for text in [
            "jump",
            "step x",
            "step -1",
            "print",
            "print %r1 32",
            "mem",
            "mem s q32",
            "break",
            "quit now",
            "lane",
            "step 1 2",
            "goto",
        ] {
            assert!(Command::parse(text).is_err(), "{text}");
        }
    }
}
