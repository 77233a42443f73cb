//! What a GPU answered for a fixed seed, as a file: `tests/recordings/differential.json`.
//!
//! It holds the list of forms that were drawn from, so that it stays valid when the table grows,
//! and of each program a digest of its text and, short, the digests of its sections. A text that is
//! not the recorded one is stale and says so; nothing is compared then.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::batch::Batch;
use super::forms::Forms;
use super::program::Family;
use super::run::digest_of_all;

/// The recording of some families.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The seed.
    pub seed: u64,
    /// The device.
    pub device: String,
    /// Its driver.
    pub driver: String,
    /// When, as `2026-01-31`.
    pub date: String,
    /// The texts of the forms that programs are drawn from.
    pub forms: Vec<String>,
    /// Of each family its programs, by number.
    pub families: Vec<(Family, Vec<Recorded>)>,
}

/// What was recorded of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its number.
    pub index: u64,
    /// The first 32 bits of the digest (SHA-256) of its text, with a kernel `k`.
    pub text: u32,
    /// Of all its sections together.
    pub all: u64,
    /// The low 16 bits of the digest of each section.
    pub sections: Vec<u16>,
}

/// The digest of a program's text.
pub fn digest_of_text(text: &str) -> u32 {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(4).fold(0, |word, byte| word << 8 | u32::from(*byte))
}

impl Recorded {
    /// Of a program's number, its text, and the digests of its sections.
    pub fn new(index: u64, text: &str, digests: &[u64]) -> Recorded {
        Recorded {
            index,
            text: digest_of_text(text),
            all: digest_of_all(digests),
            sections: digests.iter().map(|digest| *digest as u16).collect(),
        }
    }

    /// The first section that is not what was recorded; the number of sections when only their
    /// whole digests differ.
    pub fn first_difference(&self, digests: &[u64]) -> Option<usize> {
        let differs = |(recorded, digest): (&u16, &u64)| *recorded != *digest as u16;
        let section = self.sections.iter().zip(digests).position(differs);
        section.or((self.all != digest_of_all(digests)).then_some(digests.len()))
    }

    fn text_form(&self) -> String {
        let sections: String = self.sections.iter().map(|s| format!("{s:04x}")).collect();
        format!("{} {:08x} {:016x} {sections}", self.index, self.text, self.all)
    }

    fn parse(text: &str) -> Option<Recorded> {
        let mut words = text.split(' ');
        let index = words.next()?.parse().ok()?;
        let hash = u32::from_str_radix(words.next()?, 16).ok()?;
        let all = u64::from_str_radix(words.next()?, 16).ok()?;
        let list = words.next().unwrap_or_default().as_bytes();
        let section = |chunk: &[u8]| u16::from_str_radix(std::str::from_utf8(chunk).ok()?, 16).ok();
        let sections = list.chunks(4).map(section).collect::<Option<Vec<u16>>>()?;
        Some(Recorded { index, text: hash, all, sections })
    }
}

impl Recording {
    /// The forms that its programs are drawn from.
    pub fn forms(&self) -> Forms {
        Forms::of(self.forms.iter().cloned())
    }

    /// The programs of some records.
    pub fn batch(&self, family: Family, forms: &Forms, recorded: &[Recorded]) -> Batch {
        let program = |r: &Recorded| family.program(forms, self.seed, r.index);
        Batch::of(recorded.iter().map(program).collect())
    }

    /// Leaves out the programs that are no longer what they were when they were recorded.
    pub fn prune(&mut self) {
        let (forms, seed) = (self.forms(), self.seed);
        for (family, programs) in &mut self.families {
            programs.retain(|r| {
                let text = family.program(&forms, seed, r.index).write("k").text;
                digest_of_text(&text) == r.text
            });
        }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let families: serde_json::Map<String, Value> = self
            .families
            .iter()
            .map(|(family, programs)| {
                let lines: Vec<String> = programs.iter().map(Recorded::text_form).collect();
                (family.name().to_owned(), json!(lines))
            })
            .collect();
        json!({
            "schema": 1, "seed": self.seed, "device": self.device, "driver": self.driver,
            "date": self.date, "forms": self.forms.join(","), "families": families,
        })
    }

    /// From JSON; none when it is something else.
    pub fn parse(text: &str) -> Option<Recording> {
        let json: Value = serde_json::from_str(text).ok()?;
        let string = |name: &str| json.get(name)?.as_str().map(str::to_owned);
        let mut families = Vec::new();
        for (name, lines) in json.get("families")?.as_object()? {
            let programs = lines.as_array()?.iter().map(|line| Recorded::parse(line.as_str()?));
            families.push((Family::named(name)?, programs.collect::<Option<Vec<_>>>()?));
        }
        let recording = Recording {
            seed: json.get("seed")?.as_u64()?,
            device: string("device")?,
            driver: string("driver")?,
            date: string("date")?,
            forms: string("forms")?.split(',').map(str::to_owned).collect(),
            families,
        };
        let forms = recording.forms();
        let can_be_drawn = |(family, _): &(Family, _)| family.can_be_drawn_from(&forms);
        recording.families.iter().all(can_be_drawn).then_some(recording)
    }
}

/// The differences between a recording and the digests of a batch: the number of the program in the
/// batch, and the label of the section.
///
/// # Errors
/// The recording is of other programs: it is stale.
pub fn differences(
    recorded: &[Recorded],
    batch: &Batch,
    digests: &[Vec<u64>],
) -> Result<Vec<(usize, String)>, String> {
    let mut found = Vec::new();
    for (i, (recorded, written)) in recorded.iter().zip(&batch.written).enumerate() {
        if recorded.text != digest_of_text(&batch.programs[i].write("k").text) {
            return Err(format!(
                "program {} is not the one that was recorded: record again",
                recorded.index
            ));
        }
        if let Some(section) = recorded.first_difference(&digests[i]) {
            let label = written.sections.get(section).map_or("?", |s| &s.label);
            found.push((i, label.to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_read_back_as_it_was_written() {
        let recorded = Recorded::new(5, "text", &[1, 0xabcd_0000_0000_ffff, 7]);
        let recording = Recording {
            seed: 3,
            device: "a GPU".to_owned(),
            driver: "1.2".to_owned(),
            date: "2026-01-31".to_owned(),
            forms: vec!["add.u32".to_owned(), "mov.b32 pack 2".to_owned()],
            families: vec![(Family::Warps, vec![recorded.clone(), recorded])],
        };
        let text = recording.json().to_string();
        assert_eq!(Recording::parse(&text), Some(recording));
    }

    #[test]
    fn a_changed_section_is_a_difference_and_its_place_is_told() {
        let recorded = Recorded::new(5, "text", &[1, 2, 3]);
        assert_eq!(recorded.first_difference(&[1, 2, 3]), None);
        assert_eq!(recorded.first_difference(&[1, 9, 3]), Some(1));
        assert_eq!(recorded.first_difference(&[1, 2, 3 + (1 << 40)]), Some(3));
    }
}
