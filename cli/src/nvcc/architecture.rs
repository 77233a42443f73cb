//! The architectures that a command line asks for (`-arch`, `-code`, `-gencode`), and the choice of
//! one for device code.
//!
//! NVIDIA's compiler makes code for each of them. Here PTX is made for one, since PTX runs on every
//! newer one. It is the newest that the simulated device can run, or the oldest if all are newer.
//! `__CUDA_ARCH_LIST__` has all of them.

use super::request::Mistake;
use super::words;

/// An architecture: 80, or 90 with the `a` of `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Architecture {
    pub(super) number: u32,
    pub(super) is_specific: bool,
}

/// The architectures that CUDA 12 and 13 have.
pub(super) const ALL: [u32; 21] =
    [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121];

/// Architectures that only older versions of CUDA have, but that Makefiles still name. Code is
/// compiled for the oldest of the others instead.
const OLD: [u32; 9] = [10, 11, 12, 13, 20, 21, 30, 35, 37];

/// The architecture that nvcc compiles for by default.
const USUAL: Architecture = Architecture { number: 75, is_specific: false };

/// The architectures that are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Architectures {
    asked: Vec<Architecture>,
    /// The numbers of old ones among them.
    old: Vec<u32>,
}

impl Architecture {
    /// The newest one that the simulated device has unless another one is asked of `warpsim exec`.
    pub(super) const OF_DEVICE: Architecture = Architecture { number: 90, is_specific: false };

    /// `sm_80`, `compute_90a`, `lto_80`; `None` for anything else.
    fn read(name: &str) -> Option<Architecture> {
        let prefixes = ["sm_", "compute_", "lto_"];
        let digits = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix))?;
        let plain = digits.trim_end_matches(['a', 'f']);
        let is_known = |number: &u32| ALL.contains(number) || OLD.contains(number);
        let number = plain.parse().ok().filter(is_known)?;
        let is_specific = digits.len() == plain.len() + 1;
        (is_specific || digits == plain).then_some(Architecture { number, is_specific })
    }

    /// As clang names it.
    pub(super) fn name(self) -> String {
        format!("sm_{}{}", self.number, if self.is_specific { "a" } else { "" })
    }
}

impl Architectures {
    /// `-arch=NAME`.
    pub(super) fn set(&mut self, word: &str, name: &str) -> Result<(), Mistake> {
        let of = |numbers: &mut dyn Iterator<Item = u32>| {
            numbers.map(|number| Architecture { number, is_specific: false }).collect()
        };
        self.asked = match name {
            "native" => vec![Architecture::OF_DEVICE],
            "all" => of(&mut ALL.into_iter()),
            "all-major" => of(&mut ALL.into_iter().filter(|number| number % 10 == 0)),
            _ => vec![read(word, name)?],
        };
        Ok(())
    }

    /// `-code=NAME,...`: machine code for these is made of what `-arch` says.
    pub(super) fn add_codes(&mut self, word: &str, names: &str) -> Result<(), Mistake> {
        names_of(names).iter().try_for_each(|name| read(word, name).map(|_| ()))
    }

    /// `-gencode arch=NAME,code=NAME`.
    pub(super) fn generate(&mut self, word: &str, value: &str) -> Result<(), Mistake> {
        for part in words::listed(value) {
            match part.split_once('=') {
                Some(("arch", name)) => {
                    let name = name.trim_matches(['"', '\'']);
                    self.asked.push(read(word, name)?);
                }
                Some(("code", names)) => self.add_codes(word, names)?,
                Some(_) | None => return Err(unknown(word, &part)),
            }
        }
        Ok(())
    }

    /// All options were read. Returns the note about them.
    pub(super) fn finish(&mut self) -> Option<String> {
        let oldest = ALL[0];
        for asked in self.asked.iter_mut().filter(|asked| OLD.contains(&asked.number)) {
            self.old.push(asked.number);
            *asked = Architecture { number: oldest, is_specific: false };
        }
        let old: Vec<String> = self.old.iter().map(|number| format!("sm_{number}")).collect();
        let note = (!old.is_empty()).then(|| {
            format!("{}: no current CUDA has it; using sm_{oldest} instead", old.join(", "))
        });
        self.asked.sort_unstable();
        self.asked.dedup();
        if self.asked.is_empty() {
            self.asked.push(USUAL);
        }
        note
    }

    /// The one that device code is compiled for.
    pub(super) fn chosen(&self) -> Architecture {
        let newest =
            self.asked.iter().rfind(|asked| asked.number <= Architecture::OF_DEVICE.number);
        newest.or(self.asked.first()).copied().unwrap_or(USUAL)
    }

    /// The value of `__CUDA_ARCH_LIST__`.
    pub(super) fn list(&self) -> String {
        let mut numbers: Vec<u32> = self.asked.iter().map(|asked| asked.number).collect();
        numbers.dedup();
        let numbers: Vec<String> = numbers.iter().map(|number| format!("{number}0")).collect();
        numbers.join(",")
    }
}

/// `sm_80`, or `[compute_80,sm_80]`.
fn names_of(names: &str) -> Vec<String> {
    let names = names.trim_matches(['"', '\'']);
    words::listed(names.trim_start_matches('[').trim_end_matches(']'))
}

fn read(word: &str, name: &str) -> Result<Architecture, Mistake> {
    Architecture::read(name).ok_or_else(|| unknown(word, name))
}

fn unknown(word: &str, value: &str) -> Mistake {
    let names: Vec<String> = ALL.iter().map(u32::to_string).collect();
    let allowed = format!("compute_N, sm_N with N of {}; native, all, all-major", names.join(" "));
    Mistake::BadValue { word: word.to_owned(), value: value.to_owned(), allowed }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

    use super::*;

    fn of(generated: &[&str]) -> Architectures {
        let mut all = Architectures::default();
        generated.iter().for_each(|value| all.generate("-gencode", value).unwrap());
        assert_eq!(all.finish(), None);
        all
    }

    #[test]
    fn the_newest_that_the_device_has_is_compiled_for() {
        let samples = [75, 80, 90, 100, 120].map(|n| format!("arch=compute_{n},code=[sm_{n}]"));
        let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
        let all = of(&samples);
        assert_eq!((all.chosen().number, all.list().as_str()), (90, "750,800,900,1000,1200"));
        assert_eq!(of(&["arch=compute_120,code=sm_120"]).chosen().number, 120);
        assert_eq!(of(&["arch=compute_90a,code=sm_90a"]).chosen().name(), "sm_90a");
        assert_eq!(of(&[]).chosen(), USUAL);
    }

    #[test]
    fn an_old_one_is_compiled_as_the_oldest_that_there_is_and_told() {
        let mut all = Architectures::default();
        all.set("-arch", "sm_20").unwrap();
        assert_eq!(all.finish().unwrap(), "sm_20: no current CUDA has it; using sm_50 instead");
        assert_eq!((all.chosen().number, all.list().as_str()), (50, "500"));
    }

    #[test]
    fn what_is_no_architecture_is_refused() {
        let mut all = Architectures::default();
        assert!(all.set("-arch", "sm_81").is_err());
        assert!(all.set("-arch", "gfx90a").is_err());
        assert!(all.generate("-gencode", "compute_80").is_err());
        assert!(all.add_codes("-code", "[compute_80,sm_8]").is_err());
        assert!(all.set("-arch", "native").is_ok());
    }
}
