//! The programs that come with warpsim: their texts, a launch to begin with, and whether a text
//! still has the program's result.

use serde_json::{Value, json};
use warpsim::host::kernels;
use warpsim_programs::{Colour, Program, Soundness, Text, Told, Variant, all, find};

use crate::preset;
use crate::ready::{parsed, rewritten, simulator};
use crate::refusal::Refusal;
use crate::request::Work;

/// Numbers of a result that are shown.
const SHOWN: usize = 64;

/// All programs.
pub(crate) fn list() -> Value {
    let programs: Vec<Value> = all().iter().map(|program| row(program)).collect();
    json!({ "programs": programs })
}

fn row(program: &Program) -> Value {
    let variants: Vec<Value> = program.variants.iter().map(variant_row).collect();
    let forms: Vec<&str> = program.ptx.iter().map(|(form, _)| form.name()).collect();
    let has_story = match program.told {
        Told::Story(_) => true,
        Told::Verdicts | Told::Report(_) => false,
    };
    json!({
        "name": program.name,
        "summary": program.summary,
        "forms": forms,
        "variants": variants,
        "story": has_story,
    })
}

fn variant_row(variant: &Variant) -> Value {
    json!({
        "name": variant.name,
        "kernel": variant.kernel,
        "note": variant.note,
        "soundness": variant.soundness.describe(),
    })
}

/// A program's texts, and a launch to begin with.
pub(crate) fn one(
    program: &str,
    variant: Option<&str>,
    form: Option<&str>,
) -> Result<Value, Refusal> {
    let program = named(program)?;
    let variant = variant_of(program, variant)?;
    let form = match form {
        Some(name) => program.ptx.iter().map(|(form, _)| *form).find(|form| form.name() == name),
        None => program.ptx.first().map(|(form, _)| *form),
    };
    let form = form.ok_or_else(|| Refusal::usage("the program has no such form"))?;
    let Text { file, text } =
        program.text(form).ok_or_else(|| Refusal::usage("the program has no such form"))?;
    let launch = preset::of(program, variant, form)?;
    Ok(json!({
        "program": program.name,
        "variant": variant.name,
        "form": form.name(),
        "summary": program.summary,
        "note": variant.note,
        "soundness": variant.soundness.describe(),
        "source": { "name": program.source.file, "text": program.source.text },
        "ptx": { "name": file, "text": text },
        "launch": launch,
    }))
}

/// The story that a program tells.
pub(crate) fn story(program: &str) -> Result<Value, Refusal> {
    let program = named(program)?;
    match program.told {
        Told::Story(tell) => Ok(json!({ "story": tell(Colour::Never)? })),
        Told::Verdicts | Told::Report(_) => {
            Err(Refusal::usage(format!("the program `{}` tells no story", program.name)))
        }
    }
}

/// Whether the text of a request has the result of the program that it comes from, with the
/// program's own input; `None` for a text that comes from none.
pub(crate) fn verdict(work: &Work) -> Result<Option<Value>, Refusal> {
    let Some(name) = work.program.as_deref() else { return Ok(None) };
    let program = named(name)?;
    let variant = variant_of(program, work.variant.as_deref())?;
    let (module, _) = rewritten(parsed(&work.text)?, &work.passes)?;
    // Another text has been put in its place.
    if !kernels(&module).contains(&variant.kernel) {
        return Ok(None);
    }
    let mut gpu = simulator(work)?;
    let input = (program.inputs.checked)();
    let expected = program.oracle(variant, &input);
    let promised = match variant.soundness {
        Soundness::Faulty(_) => "wrong on purpose",
        sound => sound.describe(),
    };
    Ok(Some(match program.run(&mut gpu, &module, variant, &input) {
        Err(error) => json!({ "right": false, "promised": promised, "why": error.to_string() }),
        Ok(found) => {
            let (found_texts, expected_texts) = (found.texts(), expected.texts());
            let at = found_texts.iter().zip(&expected_texts).position(|(a, b)| a != b);
            json!({
                "right": program.is_right(&found, &expected),
                "promised": promised,
                "input": input.len(),
                "at": at,
                "found": shown(&found_texts),
                "expected": shown(&expected_texts),
            })
        }
    }))
}

fn shown(texts: &[String]) -> &[String] {
    texts.get(..SHOWN).unwrap_or(texts)
}

/// The source of the program that a text comes from.
pub(crate) fn source(work: &Work) -> Option<Text> {
    Some(find(work.program.as_deref()?)?.source)
}

fn named(name: &str) -> Result<&'static Program, Refusal> {
    find(name).ok_or_else(|| Refusal::usage(format!("there is no program `{name}`")))
}

fn variant_of(program: &'static Program, name: Option<&str>) -> Result<&'static Variant, Refusal> {
    let found = match name {
        Some(name) => program.variant(name),
        None => program.variants.first(),
    };
    found.ok_or_else(|| Refusal::usage(format!("`{}` has no such variant", program.name)))
}
