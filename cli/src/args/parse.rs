//! Reading the values of options.

use std::path::PathBuf;
use std::str::FromStr;

use warpsim::element::ElementType;
use warpsim::host::{ArgumentPlace, DeviceProfile, SharedInit};
use warpsim::passes;
use warpsim_driver_core::Budget;

use crate::spec::{Shape, Spec, SpecError};

/// `NAME[@FROM[-TO]]`: a pass, and the launches it is for, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PassUse {
    pub(crate) name: String,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

impl PassUse {
    /// Whether the pass is for this launch, counted from 1.
    pub(crate) fn is_for(&self, launch: u32) -> bool {
        (self.from..=self.to).contains(&launch)
    }
}

/// How many cells of each buffer to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    All,
    First(u64),
}

/// `K=PATH`: where to write the buffer of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dump {
    pub(crate) parameter: ArgumentPlace,
    pub(crate) path: PathBuf,
}

/// `NAME[:TYPE[SHAPE]]`: a variable to print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Show {
    pub(crate) name: String,
    pub(crate) element: Option<ElementType>,
    pub(crate) shape: Option<Shape>,
}

pub(super) fn show(text: &str) -> Result<Show, SpecError> {
    // A name may have `::` in it; a type has not.
    let (name, cells) = match text.rsplit_once(':') {
        Some((name, cells)) if !name.ends_with(':') => (name, Some(cells)),
        Some(_) | None => (text, None),
    };
    if name.is_empty() {
        return Err(SpecError::NoShownVariable);
    }
    let (element, shape) = match cells.map(|cells| (cells, cells.split_once('['))) {
        None => (None, None),
        Some((element, None)) => (Some(element.parse()?), None),
        Some((_, Some((element, shape)))) => {
            let shape = shape.strip_suffix(']').ok_or(SpecError::NoClosingBracket)?;
            (Some(element.parse()?), Some(Shape::parse(shape)?))
        }
    };
    Ok(Show { name: name.to_owned(), element, shape })
}

pub(super) fn pass_name(text: &str) -> Result<String, String> {
    match passes::by_name(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("unknown pass; use {}", passes::NAMES.join(", "))),
    }
}

/// A whole number, or a power: `1000`, `2^24`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let number = |t: &str| t.parse::<u64>().ok();
    let value = match text.split_once('^') {
        None => number(text),
        Some((base, power)) => {
            number(base).zip(power.parse().ok()).and_then(|(b, p)| b.checked_pow(p))
        }
    };
    value.ok_or_else(|| format!("`{text}` is not a whole number below 2^64, such as 1000 or 2^24"))
}

/// A single number stands for that one launch; `FROM-` reaches to the last.
pub(super) fn pass_use(text: &str) -> Result<PassUse, String> {
    let (name, range) = match text.split_once('@') {
        Some((name, range)) => (name, Some(range)),
        None => (text, None),
    };
    let name = pass_name(name)?;
    let number = |t: &str| {
        let n = t.parse().ok().filter(|n| *n > 0);
        n.ok_or_else(|| format!("`{t}` is not the number of a launch, counted from 1"))
    };
    let (from, to) = match range {
        None => (1, u32::MAX),
        Some(range) => match range.split_once('-') {
            None => (number(range)?, number(range)?),
            Some((from, "")) => (number(from)?, u32::MAX),
            Some((from, to)) => (number(from)?, number(to)?),
        },
    };
    if from > to {
        return Err(format!(
            "launches {from} to {to} are an empty range; the first number must not exceed the \
             second"
        ));
    }
    Ok(PassUse { name, from, to })
}

pub(super) fn global(text: &str) -> Result<(String, Spec), SpecError> {
    match text.split_once('=') {
        Some((name, spec)) if !name.is_empty() => Ok((name.to_owned(), Spec::parse(spec)?)),
        _ => Err(SpecError::NoVariable(text.to_owned())),
    }
}

/// What shared memory holds at first: `zero`, `poison`, `leftover` or `random:SEED`.
///
/// # Errors
/// There is no such thing, in words.
///
/// ```
/// use warpsim::host::SharedInit;
///
/// assert_eq!(warpsim_cli::shared_init("random:7"), Ok(SharedInit::Random(7)));
/// assert!(warpsim_cli::shared_init("ones").is_err());
/// ```
pub fn shared_init(text: &str) -> Result<SharedInit, String> {
    match (text, text.split_once(':')) {
        ("zero", _) => Ok(SharedInit::Zero),
        ("poison", _) => Ok(SharedInit::Poison),
        ("leftover", _) => Ok(SharedInit::Leftover),
        (_, Some(("random", seed))) => {
            let seed = seed.parse().map_err(|_| format!("`{seed}` is not a seed below 2^64"))?;
            Ok(SharedInit::Random(seed))
        }
        _ => Err("use zero, poison, random:SEED or leftover".to_owned()),
    }
}

/// Levels of the driver's compiler, in the order in which they were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JitLevels(pub(crate) Vec<u8>);

/// `0` to `4`, several with commas between them, or `all`.
pub(super) fn jit_levels(text: &str) -> Result<JitLevels, String> {
    if text == "all" {
        return Ok(JitLevels((0..=4).collect()));
    }
    let level = |part: &str| part.parse::<u8>().ok().filter(|level| *level <= 4);
    let levels: Option<Vec<u8>> = text.split(',').map(level).collect();
    levels.map(JitLevels).ok_or_else(|| "the driver has levels 0 to 4".to_owned())
}

/// A number for all buffers, or with `K=` in front for parameter K's.
pub(super) fn tolerance<T: FromStr>(text: &str) -> Result<(Option<ArgumentPlace>, T), String> {
    let (parameter, number) = match text.split_once('=') {
        Some((parameter, number)) => (Some(parameter), number),
        None => (None, text),
    };
    let wanted = "use N, or K=N for the buffer of parameter K, counted from 0";
    let parameter = parameter.map(str::parse).transpose().map_err(|_| wanted)?;
    Ok((parameter, number.parse().map_err(|_| wanted)?))
}

/// The same for a distance: a number that is not negative.
pub(super) fn absolute(text: &str) -> Result<(Option<ArgumentPlace>, f64), String> {
    let (parameter, number) = tolerance::<f64>(text)?;
    if number.is_finite() && number >= 0.0 {
        return Ok((parameter, number));
    }
    Err("a distance is a finite number of at least 0".to_owned())
}

pub(super) fn shown(text: &str) -> Result<Shown, String> {
    match text {
        "all" => Ok(Shown::All),
        "none" => Ok(Shown::First(0)),
        _ => text.parse().map(Shown::First).map_err(|_| "use all, none or a number".into()),
    }
}

pub(super) fn dump(text: &str) -> Result<Dump, String> {
    let wanted = "use K=PATH for the buffer of parameter K, counted from 0";
    let (parameter, path) = text.split_once('=').ok_or(wanted)?;
    if path.is_empty() {
        return Err(wanted.to_owned());
    }
    Ok(Dump { parameter: parameter.parse().map_err(|_| wanted)?, path: path.into() })
}

/// `1/8`: the 8.
pub(super) fn sample(text: &str) -> Result<u64, String> {
    let of = text.strip_prefix("1/").and_then(|of| of.parse().ok()).filter(|of| *of > 0);
    of.ok_or_else(|| "use 1/N, such as 1/8".to_owned())
}

/// `KERNEL[:N]`: a kernel, and which of its launches. A kernel's name may have `::` in it.
pub(crate) fn debugged(text: &str) -> Result<(String, u64), String> {
    let (kernel, launch) = match text.rsplit_once(':') {
        Some((kernel, number)) if !kernel.ends_with(':') => {
            let launch = number.parse().ok().filter(|launch| *launch > 0);
            let launch = launch.ok_or_else(|| {
                format!("`{number}` is not the number of a launch; the first is 1")
            })?;
            (kernel, launch)
        }
        Some(_) | None => (text, 1),
    };
    match kernel.is_empty() {
        true => Err("name the kernel, for example --debug scan:3".to_owned()),
        false => Ok((kernel.to_owned(), launch)),
    }
}

/// How many launches of a kernel and shape run under all schedules.
pub(super) fn budget(text: &str) -> Result<Budget, String> {
    match text {
        "all" => Ok(Budget::All),
        _ => text
            .parse()
            .map(Budget::Launches)
            .map_err(|_| "use a number of launches, or all".into()),
    }
}

/// A name, or limits on the base of the default profile.
pub(super) fn profile(text: &str) -> Result<DeviceProfile, String> {
    if let Some(profile) = DeviceProfile::all().into_iter().find(|profile| profile.name == text) {
        return Ok(profile);
    }
    if !text.contains('=') {
        let names: Vec<String> = DeviceProfile::all().into_iter().map(|p| p.name).collect();
        let names = names.join(", ");
        return Err(format!("unknown profile; use {names}, or {PROFILE_KEYS}"));
    }
    let mut profile = DeviceProfile::default();
    for part in text.split(',') {
        let (key, value) =
            part.split_once('=').ok_or_else(|| format!("`{part}` is not KEY=NUMBER"))?;
        set_limit(&mut profile, key, value)?;
    }
    if profile.shared_per_block > profile.shared_per_multiprocessor {
        profile.shared_per_block = profile.shared_per_multiprocessor;
    }
    profile.name = text.to_owned();
    Ok(profile)
}

const PROFILE_KEYS: &str = "KEY=NUMBER,... with the keys multiprocessors, blocks and threads \
    (resident on one), shared (its bytes), threads-per-block, shared-per-block and memory (bytes), and stack (bytes of a thread)";

fn set_limit(profile: &mut DeviceProfile, key: &str, value: &str) -> Result<(), String> {
    let number: u64 = value
        .parse()
        .ok()
        .filter(|n| *n > 0)
        .ok_or_else(|| format!("`{key}={value}`: not a number of at least 1"))?;
    const MOST: DeviceProfile = DeviceProfile::MOST;
    let too_many = |most: u64| format!("`{key}={value}` is too large: the limit is {most}");
    if key == "memory" {
        let fits = Some(number).filter(|number| *number <= MOST.global_memory);
        profile.global_memory = fits.ok_or_else(|| too_many(MOST.global_memory))?;
        return Ok(());
    }
    let (limit, most) = match key {
        "multiprocessors" => (&mut profile.multiprocessors, MOST.multiprocessors),
        "blocks" => (&mut profile.blocks_per_multiprocessor, MOST.blocks_per_multiprocessor),
        "threads" => (&mut profile.threads_per_multiprocessor, MOST.threads_per_multiprocessor),
        "threads-per-block" => (&mut profile.threads_per_block, MOST.threads_per_block),
        "shared" => (&mut profile.shared_per_multiprocessor, MOST.shared_per_multiprocessor),
        "shared-per-block" => (&mut profile.shared_per_block, MOST.shared_per_block),
        "stack" => (&mut profile.stack, MOST.stack),
        _ => return Err(format!("`{key}` is not a limit of a device; use {PROFILE_KEYS}")),
    };
    let fits = u32::try_from(number).ok().filter(|number| *number <= most);
    *limit = fits.ok_or_else(|| too_many(most.into()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_a_name_or_limits() {
        assert_eq!(profile("h200"), Ok(DeviceProfile::h200()));
        let small = profile("multiprocessors=2,blocks=1,shared=1024").unwrap();
        assert_eq!((small.multiprocessors, small.blocks_per_multiprocessor), (2, 1));
        assert_eq!(small.shared_per_block, 1024);
        assert_eq!(small.name, "multiprocessors=2,blocks=1,shared=1024");
        for text in ["b1", "multiprocessors=0", "blocks", "cores=4", "blocks=4294967296", ""] {
            assert!(profile(text).is_err(), "{text}");
        }
        let error = profile("multiprocessors=4294967295").unwrap_err();
        assert_eq!(error, "`multiprocessors=4294967295` is too large: the limit is 16384");
    }

    #[test]
    fn every_limit_has_a_most_and_a_least() {
        const KEYS: [(&str, u64); 7] = [
            ("multiprocessors", 16_384),
            ("blocks", 64),
            ("threads", 65_536),
            ("threads-per-block", 1024),
            ("shared", 1 << 30),
            ("shared-per-block", 1 << 24),
            ("memory", 1 << 48),
        ];
        for (key, most) in KEYS {
            let with = |value: &str| profile(&format!("{key}={value}"));
            assert!(with("1").is_ok() && with(&most.to_string()).is_ok(), "{key}");
            let far = [most + 1, u32::MAX.into(), u64::MAX].into_iter().filter(|n| *n > most);
            for number in far {
                let error = format!("`{key}={number}` is too large: the limit is {most}");
                assert_eq!(with(&number.to_string()), Err(error));
            }
            for text in ["0", "-1", "", "1e3", "18446744073709551616"] {
                let error = format!("`{key}={text}`: not a number of at least 1");
                assert_eq!(with(text), Err(error));
            }
        }
    }

    #[test]
    fn shared_memory_is_initialised_as_named() {
        assert_eq!(shared_init("random:7"), Ok(SharedInit::Random(7)));
        assert_eq!(shared_init("leftover"), Ok(SharedInit::Leftover));
        assert!(shared_init("random").is_err() && shared_init("random:-1").is_err());
    }

    #[test]
    fn levels_of_the_driver_are_0_to_4() {
        assert_eq!(jit_levels("0"), Ok(JitLevels(vec![0])));
        assert_eq!(jit_levels("4,1"), Ok(JitLevels(vec![4, 1])));
        assert_eq!(jit_levels("all"), Ok(JitLevels(vec![0, 1, 2, 3, 4])));
        for text in ["5", "-1", "", "0,", "O3"] {
            assert!(jit_levels(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_tolerance_is_for_all_buffers_or_for_one() {
        assert_eq!(tolerance::<u64>("3"), Ok((None, 3)));
        assert_eq!(tolerance::<u64>("1=3"), Ok((Some(1.into()), 3)));
        assert_eq!(absolute("0=1e-6"), Ok((Some(0.into()), 1e-6)));
        for text in ["", "=3", "1=", "-1", "x=1"] {
            assert!(tolerance::<u64>(text).is_err(), "{text}");
        }
        for text in ["-1", "nan", "inf", "1=-0.5"] {
            assert!(absolute(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pass_may_name_its_launches() {
        let launches = |text: &str| pass_use(text).map(|p| (p.from, p.to));
        assert_eq!(launches("register-cache"), Ok((1, u32::MAX)));
        assert_eq!(launches("register-cache@2-5"), Ok((2, 5)));
        assert_eq!(launches("register-cache@2"), Ok((2, 2)));
        assert_eq!(launches("register-cache@2-"), Ok((2, u32::MAX)));
        for text in ["register-cache@", "register-cache@0", "register-cache@3-2", "inline"] {
            assert!(pass_use(text).is_err(), "{text}");
        }
    }
}
