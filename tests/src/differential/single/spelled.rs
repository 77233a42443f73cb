//! The forms of the instruction table that programs of single instructions write, and how one is
//! spelled: what may be absent is there or not.

use warpsim::isa::{self, Structural, WarpInstruction};
use warpsim::ptx::Version;

use super::branched::{Company, company};
use super::write::action;
use crate::differential::draw::Draw;
use crate::differential::forms::{Place, RegisterForm, left_out, without_braces};

/// Why an H200 does not have a form.
const LATER: &str = "needs sm_100, or what has a letter";

/// Why no machine has one.
const REFUSED: &str = "NVIDIA's assembler takes no spelling of it";

/// A form of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As in the table, with optional parts in braces.
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
    /// In a text that is printed, read and changed, but leaves no result that could be compared.
    Text,
}

/// The forms that do more than compute, and leave what programs of single instructions show: those
/// that can be written there, or less far.
pub fn entries(reach: Reach) -> Vec<Entry> {
    isa::forms()
        .filter(|entry| entry.supported)
        .filter(|entry| match place(&entry.form) {
            Place::Single | Place::Nowhere(_) => true,
            Place::Straight | Place::Approximate | Place::Structured | Place::Images => false,
        })
        .map(|entry| Entry::of(&entry.form))
        .filter(|entry| entry.reach <= reach)
        .collect()
}

/// The forms for branches, where a thread or a warp alone executes each. These are the forms of
/// [`entries`] that allow it, and the video instructions.
pub fn branched() -> Vec<Entry> {
    let is_video = |form: &str| matches!(action(&choice_of_none(form)), Some(Structural::Video(_)));
    let video = isa::forms()
        .filter(|entry| entry.supported && is_video(&entry.form))
        .map(|entry| Entry::of(&entry.form));
    let alone = |entry: &Entry| company(&choice_of_none(&entry.form)) != Company::Block;
    let all = entries(Reach::Hopper).into_iter().chain(video);
    all.filter(|entry| entry.reach == Reach::Hopper).filter(alone).collect()
}

/// The forms on textures and surfaces.
pub fn images() -> Vec<Entry> {
    isa::forms()
        .filter(|entry| entry.supported && place(&entry.form) == Place::Images)
        .map(|entry| Entry::of(&entry.form))
        .filter(|entry| entry.reach == Reach::Hopper)
        .collect()
}

impl Entry {
    /// Of a form that programs of single instructions write.
    pub fn of(form: &str) -> Entry {
        let valid = |target| without_braces(form).iter().any(|text| is_valid(text, target));
        let reach = match without_result(form) {
            None if valid(HOPPER) => Reach::Hopper,
            None if valid(LATEST_TARGET) => Reach::Later,
            None | Some(_) => Reach::Text,
        };
        Entry { form: form.to_owned(), reach }
    }
}

/// Why nothing can be compared of a form, if so.
fn without_result(form: &str) -> Option<&'static str> {
    match form.split(['.', '{']).next()? {
        "trap" | "brkpt" => Some("ends the launch: no result to compare"),
        "setmaxnreg" => Some("needs sm_90a"),
        "prefetch" if form.contains("tensormap") => {
            Some("there is no tensor map that it could bring")
        }
        "tex" if form.contains(".1d.") && form.ends_with(".s32") => {
            Some("an H200 gives zeros for an array of one direction, as it is for memory")
        }
        _ => None,
    }
}

/// Which family writes a form that is no register form, or why none does.
pub fn place(form: &str) -> Place {
    let Some(action) = action(&choice_of_none(form)) else { return Place::Straight };
    match action {
        Structural::Image(_) => match without_result(form) {
            Some(why) => Place::Nowhere(why),
            None => Place::Images,
        },
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
        | Structural::Trap
        | Structural::Breakpoint
        | Structural::Fence
        | Structural::ProxyFence
        | Structural::CpAsync
        | Structural::CpBulk
        | Structural::AsyncStore
        | Structural::TryCancel
        | Structural::QueryCancel
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
        | Structural::Mbarrier(_) => match (Entry::of(form).reach, without_result(form)) {
            (Reach::Hopper, _) => Place::Single,
            (Reach::Later, _) => Place::Nowhere(LATER),
            (Reach::Text, why) => Place::Nowhere(why.unwrap_or(REFUSED)),
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

/// A spelling of a form for the architecture that it needs: of many that are drawn the first that
/// is valid, and the first of all if none is.
pub(super) fn spelling(entry: &Entry, draw: &mut Draw) -> String {
    let target = match entry.reach {
        Reach::Hopper => HOPPER,
        Reach::Later => LATEST_TARGET,
        Reach::Text => return choice(&entry.form, draw),
    };
    let drawn = (0..200).map(|_| choice(&entry.form, draw)).find(|text| is_valid(text, target));
    let valid = || without_braces(&entry.form).into_iter().find(|text| is_valid(text, target));
    drawn.or_else(valid).expect("the form reaches as far since it has a spelling that is valid")
}

/// Whether NVIDIA's assembler takes a spelling, which the table alone does not say: the rules were
/// found by showing it all.
fn is_valid(text: &str, target: u32) -> bool {
    if RegisterForm::of(text).is_some() {
        return left_out(text).is_none();
    }
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
        "st" | "red" if has("async") && !has("release") => {
            has("mbarrier::complete_tx::bytes")
                && !(has("v4") && modifiers.iter().any(|ty| ty.ends_with("64")))
        }
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
        "suld" | "sust" => !(has("v4") && has("b64")),
        "membar" => !has("async"),
        "mov" => !(has("v4") && modifiers.last().is_some_and(|ty| ty.ends_with("64"))),
        // Generic addresses have 64 bits.
        "mapa" | "getctarank" => has("shared::cluster") || has("u64"),
        _ => true,
    }
}

/// The version of the modules that are drawn.
const LATEST: Version = Version { major: 8, minor: 8 };

/// Their architecture, and the architecture of modules for later forms.
const HOPPER: u32 = 90;
const LATEST_TARGET: u32 = 120;

const SPACES: &[&str] =
    &["const", "global", "local", "param", "shared", "shared::cta", "shared::cluster"];
