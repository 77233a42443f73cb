//! The forms of the instruction table that programs of single instructions write, and how one is
//! spelled: what may be absent is there or not.

use warpsim::isa::{self, Structural, WarpInstruction};
use warpsim::ptx::Version;

use super::write::action;
use crate::differential::draw::Draw;
use crate::differential::forms::Place;

/// Why an H200 does not have a form.
const LATER: &str = "needs sm_100, or what has a letter";

/// A form of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As the table has it, what may be absent in braces.
    pub form: String,
    /// Where it can be written.
    pub reach: Reach,
}

/// Where a form can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// In a module for sm_90.
    Hopper,
    /// In a module for sm_120 alone.
    Later,
}

/// All forms that are written, those of sm_90 or all.
pub fn entries(reach: Reach) -> Vec<Entry> {
    isa::forms()
        .filter(|entry| entry.supported)
        .filter(|entry| [Place::Single, Place::Nowhere(LATER)].contains(&place(&entry.form)))
        .filter_map(|entry| Entry::of(&entry.form))
        .filter(|entry| entry.reach <= reach)
        .collect()
}

impl Entry {
    /// Of a form that programs of single instructions write.
    pub fn of(form: &str) -> Option<Entry> {
        let level = |target| {
            let mut draw = Draw::new(&[0]);
            (0..200).any(|_| is_valid(&choice(form, &mut draw), target))
        };
        let reach = match (level(90), level(120)) {
            (true, _) => Reach::Hopper,
            (false, true) => Reach::Later,
            (false, false) => return None,
        };
        Some(Entry { form: form.to_owned(), reach })
    }
}

/// Which family writes a form that is no register form, or why none does.
pub fn place(form: &str) -> Place {
    let Some(action) = action(&choice_of_none(form)) else { return Place::Straight };
    match action {
        Structural::Image(_) => Place::Nowhere("objects behind handles: see the tests of textures"),
        Structural::Trap | Structural::Breakpoint => {
            Place::Nowhere("ends the launch: no result to compare")
        }
        Structural::Nothing if form.starts_with("setmaxnreg") => Place::Nowhere("needs sm_90a"),
        Structural::Nothing if form.contains("tensormap") => {
            Place::Nowhere("there is no tensor map that it could bring")
        }
        Structural::AsyncStore => {
            Place::Nowhere("asynchronous stores to shared memory: see the conformance files")
        }
        Structural::St | Structural::Red if form.contains(".async") => {
            Place::Nowhere("asynchronous accesses to global memory: see the conformance files")
        }
        Structural::CpBulk if form.ends_with("f16") => {
            Place::Nowhere("reductions of halves in bulk: see the conformance files")
        }
        Structural::TryCancel | Structural::QueryCancel => {
            Place::Nowhere("launches of blocks: see the conformance files")
        }
        Structural::Ld | Structural::St if form.contains(".param") => Place::Structured,
        Structural::Mov if !["128", ".v2", ".v4"].iter().any(|m| form.contains(m)) => {
            Place::Straight
        }
        Structural::Video(_) | Structural::Lop3 => Place::Straight,
        Structural::Bra
        | Structural::BrxIdx
        | Structural::Call
        | Structural::Ret
        | Structural::Exit
        | Structural::Bar
        | Structural::BarRed
        | Structural::Warp(
            WarpInstruction::Sync
            | WarpInstruction::Shfl
            | WarpInstruction::Vote
            | WarpInstruction::Match,
        ) => Place::Structured,
        Structural::Warp(WarpInstruction::Redux) if !form.ends_with(".f32") => Place::Structured,
        Structural::Mov
        | Structural::Ld
        | Structural::St
        | Structural::Atom
        | Structural::Red
        | Structural::Cvta
        | Structural::Isspacep
        | Structural::CreatePolicy
        | Structural::Discard
        | Structural::Fill
        | Structural::Alloca
        | Structural::StackSave
        | Structural::StackRestore
        | Structural::Fence
        | Structural::ProxyFence
        | Structural::CpAsync
        | Structural::CpBulk
        | Structural::CpPrefetch
        | Structural::CommitGroup
        | Structural::WaitGroup
        | Structural::Mapa
        | Structural::Getctarank
        | Structural::ClusterBarrier
        | Structural::CvtFour(_)
        | Structural::Nothing
        | Structural::Warp(
            WarpInstruction::Redux
            | WarpInstruction::Activemask
            | WarpInstruction::Elect
            | WarpInstruction::Movmatrix
            | WarpInstruction::Ldmatrix
            | WarpInstruction::Stmatrix
            | WarpInstruction::Mma
            | WarpInstruction::WmmaLoad
            | WarpInstruction::WmmaStore
            | WarpInstruction::WmmaMma,
        )
        | Structural::Mbarrier(_) => match Entry::of(form).map(|entry| entry.reach) {
            Some(Reach::Hopper) => Place::Single,
            Some(Reach::Later) => Place::Nowhere(LATER),
            None => Place::Nowhere("NVIDIA's assembler takes no spelling of it"),
        },
    }
}

/// The form without anything that may be absent.
fn choice_of_none(form: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for c in form.chars() {
        match c {
            '{' => inside = true,
            '}' => inside = false,
            _ if !inside => text.push(c),
            _ => {}
        }
    }
    text
}

/// The form with each optional part there or not.
fn choice(form: &str, draw: &mut Draw) -> String {
    let Some((before, rest)) = form.split_once('{') else { return form.to_owned() };
    let Some((choices, after)) = rest.split_once('}') else { return form.to_owned() };
    let choices: Vec<&str> = choices.split('|').collect();
    let chosen = if draw.percent(45) { "" } else { draw.of(&choices) };
    format!("{before}{chosen}{}", choice(after, draw))
}

/// A spelling of a form for the architecture that it needs.
pub(super) fn spelling(entry: &Entry, draw: &mut Draw) -> Option<String> {
    let target = match entry.reach {
        Reach::Hopper => 90,
        Reach::Later => 120,
    };
    (0..200).map(|_| choice(&entry.form, draw)).find(|text| is_valid(text, target))
}

/// Whether NVIDIA's assembler takes a spelling, which the table alone does not say: the rules were
/// found by showing it all.
fn is_valid(text: &str, target: u32) -> bool {
    let mut names = text.split('.');
    let opcode = names.next().unwrap_or_default();
    let modifiers: Vec<&str> = names.collect();
    let Ok(found) = isa::lookup(opcode, &modifiers) else { return false };
    let level = found.opcode.level(&modifiers);
    if level.target > target || level.version > LATEST {
        return false;
    }
    let count = |list: &[&str]| modifiers.iter().filter(|m| list.contains(*m)).count();
    let has = |modifier: &str| modifiers.contains(&modifier);
    if count(&["cta", "cluster", "gpu", "sys"]) > 1 {
        return false;
    }
    match opcode {
        "ld" | "st" | "ldu" => {
            let wide = modifiers.iter().rev().take(1).any(|ty| ty.ends_with("128"));
            let long = modifiers.iter().rev().take(1).any(|ty| ty.ends_with("64"));
            let vector = count(&["v2", "v4", "v8"]) > 0;
            let priority = modifiers.iter().any(|m| m.contains("evict") || m.contains("no_alloc"));
            let cache = count(&["ca", "cg", "cs", "lu", "cv", "wb", "wt"]) > 0;
            let second = has("L2::cache_hint")
                || modifiers.iter().any(|m| m.starts_with("L2::"))
                || priority;
            let global = has("global") || count(SPACES) == 0;
            !(vector && wide
                || has("v4") && long
                || has("v8")
                || priority && cache
                || second && (!global || has("volatile") || has("const")))
        }
        // A hint is for what lies in global memory.
        "atom" | "red" => {
            let shared = modifiers.iter().any(|m| m.starts_with("shared"));
            !(shared && has("L2::cache_hint"))
        }
        "membar" => !has("async"),
        "mov" => !(has("v4") && modifiers.last().is_some_and(|ty| ty.ends_with("64"))),
        // Generic addresses have 64 bits.
        "mapa" | "getctarank" => has("shared::cluster") || has("u64"),
        _ => true,
    }
}

/// The version of the modules that are drawn.
const LATEST: Version = Version { major: 8, minor: 8 };

const SPACES: &[&str] =
    &["const", "global", "local", "param", "shared", "shared::cta", "shared::cluster"];
