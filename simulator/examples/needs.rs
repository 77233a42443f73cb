//! Every form of the instruction table as a kernel of one line, with its needs by the table.
//!
//! Each line has four fields between tabs: the PTX version, the number of the architecture, the
//! instruction as `warpsim isa` spells it, and the kernel. `scripts/check-needs.sh` shows them to
//! NVIDIA's assembler. The optional parts of a form are spelled out in all combinations. Where
//! there are many, they come two at a time, and only for types of 32 and 64 bits.
//!
//! With `--targets` instead: the architectures, and the version of PTX that brought each.

#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::fmt::Write as _;
use std::io::Write as _;

use warpsim::isa::{self, Action, ImageInstruction, MbarrierInstruction, Opcode, Structural};
use warpsim::lanes::Role;
use warpsim::ptx::Type;

/// More combinations than this are not all spelled out.
const MANY: usize = 600;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    if std::env::args().any(|word| word == "--targets") {
        for level in isa::targets() {
            let version = level.version;
            writeln!(out, "{}\t{}.{}", level.target, version.major, version.minor)?;
        }
        return Ok(());
    }
    for opcode in isa::opcodes() {
        for form in opcode.forms {
            for pattern in form.pattern.expand() {
                for modifiers in spelled(&pattern) {
                    let Some(line) = line(opcode, form.action, &modifiers) else { continue };
                    writeln!(out, "{line}")?;
                }
            }
        }
    }
    Ok(())
}

/// The modifiers of `.rn{.ftz}{.sat|.relu}.f16`, with choices filled in for the braces.
fn spelled(pattern: &str) -> Vec<Vec<&str>> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (choices, after) = after.split_once('}').unwrap_or((after, ""));
        pieces.push((before, choices.split('|').collect::<Vec<_>>()));
        rest = after;
    }
    let all: usize = pieces.iter().map(|(_, choices)| choices.len() + 1).product();
    let most = if all > MANY { 2 } else { pieces.len() };
    let mut out = vec![(String::new(), 0)];
    for (before, choices) in &pieces {
        let absent = out.iter().map(|(text, n)| (format!("{text}{before}"), *n));
        let present = out.iter().filter(|(_, n)| *n < most).flat_map(|(text, n)| {
            choices.iter().map(move |choice| (format!("{text}{before}{choice}"), n + 1))
        });
        out = absent.chain(present).collect();
    }
    // Of the widths, two are enough for what depends on them.
    let taken = |n: usize| all <= MANY || n < 2 || rest.ends_with("b32") || rest.ends_with("b64");
    let texts = out.into_iter().filter(|(_, n)| taken(*n)).map(|(text, _)| text + rest);
    texts.map(|text| text.leak().split('.').skip(1).collect()).collect()
}

/// The line of one spelled-out form; `None` of one that is refused, or taken by an earlier form.
fn line(opcode: &'static Opcode, action: Action, modifiers: &[&str]) -> Option<String> {
    // The forms of atomics allow a scope in two places, and instructions have one.
    let scopes = ["cta", "cluster", "gpu", "sys"];
    if modifiers.iter().filter(|m| scopes.contains(m)).count() > 1 {
        return None;
    }
    let operands = match action {
        Action::Lanes { operands, .. } => register_operands(opcode.name, operands),
        Action::Structural(kind) => structural_operands(opcode.name, kind, modifiers),
        Action::Unsupported(_) => return None,
    };
    let written = match action {
        Action::Lanes { operands, .. } => operands.iter().filter(|role| role.is_written()).count(),
        Action::Structural(_) | Action::Unsupported(_) => 0,
    };
    let found = isa::lookup_with(opcode.name, modifiers, written).ok()?;
    if !std::ptr::eq(found.opcode, opcode) {
        return None;
    }
    let name = std::iter::once(opcode.name).chain(modifiers.iter().copied());
    let name = name.collect::<Vec<_>>().join(".");
    let level = opcode.level(modifiers);
    let version = level.version;
    let mut line = format!("{}.{}\t{}\t{name}\t", version.major, version.minor, level.target);
    // All of it on one line, so that the assembler's messages tell the instruction.
    let registers =
        ".reg .pred %p<9>; .reg .b8 %b<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; ";
    let wide = if operands.contains("%q") { ".reg .b128 %q<9>; " } else { "" };
    let variables = ".shared .align 32 .b8 S[64]; .param .align 32 .b8 Q[64];";
    let table = if name.starts_with("brx") { "T: .branchtargets L;" } else { "" };
    let _ = write!(
        line,
        ".entry NAME(.param .align 32 .b8 P[64]) {{ {registers}{wide}{variables} {table} {name} \
         {operands}; L: ret; }}"
    );
    Some(line)
}

/// A register that holds values of a type.
fn register(ty: Type, number: usize) -> String {
    let class = match ty.bytes() {
        None => "p",
        Some(1) => "b",
        Some(2) => "h",
        Some(4) => "r",
        Some(8) => "d",
        Some(_) => "q",
    };
    format!("%{class}{number}")
}

fn register_operands(opcode: &str, roles: &[Role]) -> String {
    let operand = |(i, role): (usize, &Role)| {
        Some(match *role {
            // The table of `lop3` must be a constant.
            Role::E(_) if opcode == "lop3" => "0x1f".to_owned(),
            Role::D(ty) | Role::WideD(ty) | Role::WideA(ty) => register(ty, i + 1),
            Role::A(ty) | Role::B(ty) | Role::C(ty) | Role::E(ty) => register(ty, i + 1),
            Role::DPair => "%p1|%p2".to_owned(),
            Role::DFirst => "%p1".to_owned(),
            Role::DWith(ty) => register(ty, i + 1) + "|%p2",
            Role::MaybeNotC => "%p3".to_owned(),
            Role::CarryIn | Role::CarryOut | Role::True(_) => return None,
        })
    };
    roles.iter().enumerate().filter_map(operand).collect::<Vec<_>>().join(", ")
}

/// The modifiers that say how many coordinates there are.
const SHAPES: [&str; 7] = ["1d", "a1d", "2d", "a2d", "3d", "cube", "acube"];

/// The operands of an instruction on textures or surfaces.
fn image_operands(instruction: ImageInstruction, modifiers: &[&str]) -> String {
    let has = |modifier: &str| modifiers.contains(&modifier);
    let ty = modifiers.iter().rev().find_map(|m| Type::from_keyword(m)).unwrap_or(Type::B32);
    let value = vector(&register(ty, 2), modifiers);
    let (one, two) = ("{%r1}", "{%r1, %r2}");
    let four = "{%r1, %r2, %r3, %r4}";
    // The layer comes before the coordinates.
    let (at, slope) = match modifiers.iter().find(|m| SHAPES.contains(m)) {
        Some(&"1d") | None => (one, one),
        Some(&"a1d") => (two, one),
        Some(&"2d") => (two, two),
        Some(&"a2d") => (four, two),
        Some(_) => (four, four),
    };
    let slopes = format!("{slope}, {slope}");
    let level = match (has("level"), has("grad")) {
        (true, _) => ", %r5".to_owned(),
        (false, true) => format!(", {slopes}"),
        (false, false) => String::new(),
    };
    match instruction {
        ImageInstruction::Sample | ImageInstruction::Gather => {
            format!("{{%r5, %r6, %r7, %r8}}, [%d1, {at}]{level}")
        }
        ImageInstruction::Query => "%r1, [%d1]".into(),
        ImageInstruction::Load => format!("{value}, [%d1, {at}]"),
        ImageInstruction::Store | ImageInstruction::StoreFormatted | ImageInstruction::Reduce => {
            format!("[%d1, {at}], {value}")
        }
    }
}

fn structural_operands(opcode: &str, kind: Structural, modifiers: &[&str]) -> String {
    let has = |modifier: &str| modifiers.contains(&modifier);
    let ty = modifiers.iter().rev().find_map(|m| Type::from_keyword(m)).unwrap_or(Type::B32);
    let (d, a, b) = (register(ty, 1), register(ty, 2), register(ty, 3));
    let hint = if has("L2::cache_hint") { ", %d7" } else { "" };
    match kind {
        Structural::Mov => format!("{}, {}", vector(&d, modifiers), vector(&a, modifiers)),
        Structural::Video(_) => "%r1, %r2, %r3, %r4".into(),
        Structural::Lop3 => "%r1|%p1, %r2, %r3, %r4, 0x1f, %p2".into(),
        Structural::Image(instruction) => image_operands(instruction, modifiers),
        Structural::CvtFour(_) => {
            let d = if has("e2m1x4") { "%h1" } else { "%r1" };
            format!("{d}, {{%r2, %r3, %r4, %r5}}, %r6")
        }
        Structural::Ld => format!("{}, {}{hint}", vector(&d, modifiers), address(modifiers)),
        Structural::St => format!("{}, {}{hint}", address(modifiers), vector(&a, modifiers)),
        Structural::Atom if has("cas") => format!("{d}, [%d8], {a}, {b}{hint}"),
        Structural::Atom => {
            format!("{}, [%d8], {}{hint}", vector(&d, modifiers), vector(&a, modifiers))
        }
        Structural::Red => format!("[%d8], {}{hint}", vector(&a, modifiers)),
        Structural::CreatePolicy if has("cvt") => "%d1, %d2".into(),
        Structural::CreatePolicy if has("range") => "%d1, [%d2], %r1, %r2".into(),
        Structural::CreatePolicy => "%d1, 0.5".into(),
        Structural::Discard => "[%d1], 128".into(),
        Structural::Fill => "[%d1], 128, 0".into(),
        Structural::Alloca => format!("{d}, 128"),
        Structural::StackSave | Structural::StackRestore => d,
        Structural::Cvta if has("param") || has("param::entry") => {
            if has("to") {
                "%d1, %d2".into()
            } else {
                "%d1, P".into()
            }
        }
        Structural::Cvta => "%d1, %d2".into(),
        Structural::Isspacep => "%p1, %d1".into(),
        Structural::Bra => "L".into(),
        Structural::BrxIdx => "%r1, T".into(),
        Structural::Call => "F".into(),
        Structural::BarRed if has("popc") => "%r1, 0, %p1".into(),
        Structural::BarRed => "%p1, 0, %p2".into(),
        Structural::Bar if has("arrive") => "0, 64".into(),
        Structural::Bar => "0".into(),
        Structural::Warp(_) => warp_operands(opcode, modifiers, &a),
        Structural::Nothing if opcode == "applypriority" => "[%d1], 128".into(),
        Structural::Nothing if opcode == "setmaxnreg" => "64".into(),
        Structural::Nothing | Structural::ProxyFence => without_effect(modifiers),
        Structural::Mbarrier(instruction) => mbarrier_operands(instruction, modifiers).into(),
        Structural::TryCancel => "[%d8], [%d1]".into(),
        Structural::QueryCancel if has("pred") => "%p1, %q1".into(),
        Structural::QueryCancel => format!("{}, %q1", vector("%r1", modifiers)),
        Structural::AsyncStore => format!("[%d8], {}, [%d1]", vector(&a, modifiers)),
        Structural::CpAsync => format!("[%d1], [%d8], 16{hint}"),
        Structural::CpBulk if has("bulk_group") => format!("[%d8], [%d1], 16{hint}"),
        Structural::CpBulk if has("global") => format!("[%d1], [%d8], 16, [%d2]{hint}"),
        Structural::CpBulk => format!("[%d1], [%d3], 16, [%d2]{hint}"),
        Structural::Mapa => format!("{d}, {a}, 0"),
        Structural::Getctarank => format!("%r1, {a}"),
        Structural::CpPrefetch => format!("[%d8], 16{hint}"),
        Structural::WaitGroup if has("wait_group") => "1".into(),
        Structural::ClusterBarrier | Structural::CommitGroup | Structural::WaitGroup => {
            String::new()
        }
        Structural::Ret | Structural::Exit | Structural::Trap => String::new(),
        Structural::Breakpoint | Structural::Fence => String::new(),
    }
}

/// Operands of what lanes of a warp do together, as the table has them; `a` is a register of the
/// instruction's type.
fn warp_operands(opcode: &str, modifiers: &[&str], a: &str) -> String {
    let has = |modifier: &str| modifiers.contains(&modifier);
    if opcode == "bar" {
        return "%r1".to_owned();
    }
    let row = isa::opcodes_named(opcode).first().map_or("", |row| row.operands);
    let operand = |operand: &str| match operand {
        "d|p" if !has("any") => Some("%r1|%p1".to_owned()),
        "d" if has("pred") => Some("%p2".to_owned()),
        "d" | "d|p" => Some("%r1".to_owned()),
        "!a" => Some("%p1".to_owned()),
        "b" => Some("1".to_owned()),
        "c" => Some("31".to_owned()),
        "membermask" => has("sync").then(|| "%r7".to_owned()),
        _ => Some(a.to_owned()),
    };
    let row = row.replace(['{', '}'], "");
    row.split(", ").filter_map(operand).collect::<Vec<_>>().join(", ")
}

/// Operands of an operation on mbarrier objects.
fn mbarrier_operands(instruction: MbarrierInstruction, modifiers: &[&str]) -> &'static str {
    let has = |modifier: &str| modifiers.contains(&modifier);
    match instruction {
        MbarrierInstruction::Init
        | MbarrierInstruction::ExpectTx
        | MbarrierInstruction::CompleteTx => "[%d8], 4",
        MbarrierInstruction::Invalidate | MbarrierInstruction::ArriveWithCopies => "[%d8]",
        MbarrierInstruction::Arrive if has("shared::cluster") && has("expect_tx") => "_, [%d8], 4",
        MbarrierInstruction::Arrive if has("shared::cluster") => "_, [%d8]",
        MbarrierInstruction::Arrive if has("expect_tx") || has("noComplete") => "%d1, [%d8], 4",
        MbarrierInstruction::Arrive => "%d1, [%d8]",
        MbarrierInstruction::Test if has("parity") => "%p1, [%d8], 1",
        MbarrierInstruction::Test => "%p1, [%d8], %d1",
        MbarrierInstruction::PendingCount => "%r1, %d1",
    }
}

/// Operands of instructions that do nothing here.
fn without_effect(modifiers: &[&str]) -> String {
    match modifiers {
        ["proxy", ..] => "",
        ["launch_dependents"] | ["wait"] => "",
        ["u32"] => "%r1",
        [] | ["mask"] => "1",
        _ => "[%d1]",
    }
    .to_owned()
}

fn vector(register: &str, modifiers: &[&str]) -> String {
    match ["v2", "v4", "v8"].iter().find(|v| modifiers.contains(v)) {
        Some(&"v2") => format!("{{{}}}", [register; 2].join(", ")),
        Some(&"v4") => format!("{{{}}}", [register; 4].join(", ")),
        Some(_) => format!("{{{}}}", [register; 8].join(", ")),
        None => register.to_owned(),
    }
}

/// Where a load or store goes: parameters have names.
fn address(modifiers: &[&str]) -> &'static str {
    if modifiers.iter().any(|m| matches!(*m, "param" | "param::entry")) {
        "[P]"
    } else if modifiers.contains(&"param::func") {
        "[Q]"
    } else {
        "[%d8]"
    }
}
