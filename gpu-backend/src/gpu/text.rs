//! The text for a driver (PTX ISA 11.1, `.version` and `.target`).
//!
//! A driver refuses PTX of a later version than its own, and of a later architecture than the
//! GPU's, whether or not the text needs them. Then the module is printed with the version and the
//! architecture of the two. Going down to the lowest that the text needs would gain nothing. Below
//! sm_70 it would mean something else (see [`warpsim::isa::lowest`]).
//!
//! If the text does need more, the driver is still asked, because only it knows what it accepts. If
//! it refuses, the error names the parts of the text with their needs, and has the driver's words.

use std::sync::Arc;

use warpsim::isa::{self, Cause, Level};
use warpsim::ptx::{self, Module, Version};

use crate::error::{GpuError, Lacking};
use crate::probe::GpuFacts;

/// A text for the driver, and what its messages call it.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) name: String,
    pub(super) ptx: String,
}

/// The texts that a GPU's driver makes a module of: one, or the texts of several files, which the
/// driver links itself. A module that a pass has rewritten is one text.
pub(super) fn texts_for(module: &Module, facts: &GpuFacts) -> Vec<Text> {
    let files: Option<Vec<Module>> = ptx::linked_files(module).and_then(|files| {
        files.into_iter().map(|(name, text)| ptx::parse(name, text).ok()).collect()
    });
    let alone = std::slice::from_ref(module);
    let text = |module: &Module| Text {
        name: module.source.name().to_owned(),
        ptx: text_for(module, facts),
    };
    files.as_deref().unwrap_or(alone).iter().map(text).collect()
}

/// A module's text for a GPU and its driver: the one it was parsed from, if it is still that, so
/// that the lines in the driver's messages are the user's; else printed.
fn text_for(module: &Module, facts: &GpuFacts) -> String {
    let lowered = lowered(module, facts);
    let printed = ptx::print(lowered.as_ref().unwrap_or(module));
    let source = &module.source;
    match ptx::parse(source.name(), source.text()) {
        Ok(parsed) if ptx::print(&parsed) == printed => source.text().to_owned(),
        _ => printed,
    }
}

/// The module with a version and a target that driver and GPU take; `None` when its own will do.
fn lowered(module: &Module, facts: &GpuFacts) -> Option<Module> {
    let newest = newest_version(facts.cuda);
    let asked = (module.version.major, module.version.minor);
    let has = facts.capability.0 * 10 + facts.capability.1;
    let is_above = |name: &ptx::Name| architecture(&name.text).is_some_and(|sm| sm > has);
    if asked <= newest && !module.target.iter().any(is_above) {
        return None;
    }
    let mut lowered = module.clone();
    let (major, minor) = asked.min(newest);
    let version = Version { major, minor };
    lowered.version = version;
    // The latest architecture that the GPU runs and this version knows.
    let known = |level: &Level| level.target <= has && level.version <= version;
    let target = isa::targets().filter(known).map(|level| level.target).max().unwrap_or(has);
    for name in lowered.target.iter_mut().filter(|name| is_above(name)) {
        name.text = Arc::from(format!("sm_{target}"));
    }
    Some(lowered)
}

/// The error of a driver that refused a module: what in it needs more than driver and GPU have, if
/// something does.
pub(super) fn explained(error: GpuError, module: &Module, facts: &GpuFacts) -> GpuError {
    let Some(code) = error.code().filter(|code| REFUSALS.contains(code)) else { return error };
    let Some((cause, lacking)) = lacking(module, facts) else { return error };
    GpuError::ModuleNeedsMore {
        name: cause.name,
        file: module.source.file_name(cause.span.start).to_string(),
        line: module.source.line(cause.span.start),
        lacking,
        code,
        words: error.to_string(),
    }
}

/// `CUDA_ERROR_NO_BINARY_FOR_GPU`, `CUDA_ERROR_INVALID_PTX` and
/// `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`.
const REFUSALS: [u32; 3] = [209, 218, 222];

/// What a module needs and these do not have; the architecture first, for which no driver helps.
pub(crate) fn lacking(module: &Module, facts: &GpuFacts) -> Option<(Cause, Lacking)> {
    let needs = isa::needs(module);
    let capability = facts.capability;
    let has = capability.0 * 10 + capability.1;
    let target = needs.target.filter(|cause| cause.level.target > has);
    let target = target.map(|cause| {
        let needed = cause.level.target;
        (cause, Lacking::Target { needed, has })
    });
    let newest = newest_version(facts.cuda);
    let of = |version: Version| (version.major, version.minor);
    let version = needs.version.filter(|cause| of(cause.level.version) > newest);
    let version = version.map(|cause| {
        let needed = of(cause.level.version);
        (cause, Lacking::Version { needed, cuda: first_cuda(needed), has: newest })
    });
    target.or(version)
}

/// The first version of CUDA whose driver takes a version of PTX.
fn first_cuda((major, minor): (u32, u32)) -> (u32, u32) {
    match (major, minor) {
        (..=6, minor @ ..=2) => (9, minor),
        (..=6, minor) => (10, minor - 3),
        (7, minor) => (11, minor),
        (8, minor @ 0..=5) => (12, minor),
        (8, minor) => (12, minor + 1),
        (major, minor) => (major + 4, minor),
    }
}

/// 120 of `sm_120`; nothing of `sm_120a`, whose instructions are its own, nor of an option.
fn architecture(target: &str) -> Option<u32> {
    target.strip_prefix("sm_")?.parse().ok()
}

/// The latest PTX version that a driver of this version of CUDA takes (PTX ISA, "Release Notes").
pub(crate) fn newest_version(cuda: (u32, u32)) -> (u32, u32) {
    match cuda {
        (11, minor) => (7, minor),
        (12, minor @ 0..=5) => (8, minor),
        (12, minor) => (8, minor - 1),
        // From 13.0, which has 9.0, the two go together.
        (major @ 13.., minor) => (major - 4, minor),
        // 6.0 came with 9.0; a driver that is older still refuses it, and says so.
        _ => (6, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(cuda: (u32, u32), capability: (u32, u32)) -> GpuFacts {
        GpuFacts {
            ordinal: 0,
            name: "NVIDIA H200".to_owned(),
            capability,
            multiprocessors: 132,
            shared_per_block: 227 << 10,
            memory: 1 << 37,
            cuda,
            driver: None,
        }
    }

    fn module(head: &str) -> Result<Module, Box<dyn std::error::Error>> {
        let text = format!("{head} .address_size 64\n.entry k() {{ ret; }} // kept");
        Ok(ptx::parse("k.ptx", &text)?)
    }

    #[test]
    fn a_text_that_driver_and_gpu_take_is_given_as_it_was_written()
    -> Result<(), Box<dyn std::error::Error>> {
        let module = module(".version 9.0 .target sm_90")?;
        assert_eq!(text_for(&module, &facts((13, 0), (9, 0))), module.source.text());
        Ok(())
    }

    #[test]
    fn each_file_of_a_linked_module_is_a_text_of_its_own() -> Result<(), Box<dyn std::error::Error>>
    {
        let text = |head: &str, name: &str| format!("{head}\n.entry {name}() {{ ret; }} // kept");
        let (a, b) =
            (text(".version 9.5 .target sm_70", "a"), text(".version 7.0 .target sm_70", "b"));
        let module = ptx::link(&[("a.ptx", a.as_bytes()), ("b.ptx", b.as_bytes())])?;
        let texts = texts_for(&module, &facts((13, 0), (9, 0)));
        let names: Vec<&str> = texts.iter().map(|text| text.name.as_str()).collect();
        assert_eq!(names, ["a.ptx", "b.ptx"]);
        assert!(texts[0].ptx.contains(".version 9.0"), "{}", texts[0].ptx);
        assert_eq!(texts[1].ptx, b);
        Ok(())
    }

    #[test]
    fn a_later_version_or_target_is_lowered_to_what_is_there()
    -> Result<(), Box<dyn std::error::Error>> {
        let module = module(".version 9.5 .target sm_120, debug")?;
        let text = text_for(&module, &facts((13, 0), (9, 0)));
        assert!(text.contains(".version 9.0"), "{text}");
        assert!(text.contains(".target sm_90, debug"), "{text}");
        Ok(())
    }

    #[test]
    fn the_target_is_one_that_the_version_knows() -> Result<(), Box<dyn std::error::Error>> {
        // sm_88 came with PTX 9.0, after sm_89.
        let module = module(".version 7.8 .target sm_89")?;
        let text = text_for(&module, &facts((13, 0), (8, 8)));
        assert!(text.contains(".target sm_87\n"), "{text}");
        Ok(())
    }

    fn refused(code: u32) -> GpuError {
        GpuError::Driver {
            call: "cuModuleLoadDataEx".into(),
            code,
            name: "CUDA_ERROR_INVALID_PTX".to_owned(),
            words: "a PTX JIT compilation failed".to_owned(),
            log: "ptxas application ptx input, line 5; error".to_owned(),
        }
    }

    fn elects() -> Result<Module, Box<dyn std::error::Error>> {
        let text = ".version 9.0\n.target sm_90\n.entry k()\n{\n  elect.sync _|%p, -1;\n}\n";
        Ok(ptx::parse("k.ptx", text)?)
    }

    #[test]
    fn a_refusal_names_what_needs_a_newer_driver() -> Result<(), Box<dyn std::error::Error>> {
        let explained = explained(refused(218), &elects()?, &facts((11, 8), (9, 0)));
        let expected = "k.ptx:5: elect.sync needs PTX 8.0, which drivers of CUDA 12.0 and later accept; \
                        this driver accepts PTX 7.8\n  \
                        cuModuleLoadDataEx: a PTX JIT compilation failed (CUDA_ERROR_INVALID_PTX)\n  \
                        ptxas application ptx input, line 5; error";
        assert_eq!(explained.to_string(), expected);
        assert_eq!(explained.code(), Some(218));
        Ok(())
    }

    #[test]
    fn a_refusal_names_what_needs_a_newer_gpu() -> Result<(), Box<dyn std::error::Error>> {
        let explained = explained(refused(218), &elects()?, &facts((13, 0), (8, 6)));
        let words = explained.to_string();
        assert!(
            words.starts_with("k.ptx:5: elect.sync needs sm_90; this GPU is sm_86\n"),
            "{words}"
        );
        Ok(())
    }

    #[test]
    fn other_errors_of_the_driver_stay_as_they_are() -> Result<(), Box<dyn std::error::Error>> {
        let (older, newer) = (facts((11, 8), (9, 0)), facts((12, 0), (9, 0)));
        assert_eq!(explained(refused(2), &elects()?, &older), refused(2));
        assert_eq!(explained(refused(218), &elects()?, &newer), refused(218));
        Ok(())
    }

    #[test]
    fn the_first_cuda_of_a_version_takes_it() {
        for level in [(7, 0), (7, 8), (8, 0), (8, 5), (8, 6), (8, 8), (9, 0), (9, 5)] {
            let first = first_cuda(level);
            assert_eq!(newest_version(first), level);
            assert!(first.1 == 0 || newest_version((first.0, first.1 - 1)) < level, "{level:?}");
        }
    }

    #[test]
    fn a_target_of_one_architecture_alone_is_left_to_the_driver()
    -> Result<(), Box<dyn std::error::Error>> {
        let module = module(".version 8.6 .target sm_100a")?;
        let text = text_for(&module, &facts((12, 9), (9, 0)));
        assert!(text.contains(".target sm_100a"), "{text}");
        Ok(())
    }

    #[test]
    fn versions_of_the_language_follow_those_of_the_driver() {
        let pairs = [((11, 8), (7, 8)), ((12, 0), (8, 0)), ((12, 5), (8, 5)), ((12, 6), (8, 5))];
        let later = [((12, 9), (8, 8)), ((13, 0), (9, 0)), ((13, 1), (9, 1))];
        for (cuda, version) in pairs.into_iter().chain(later) {
            assert_eq!(newest_version(cuda), version, "{cuda:?}");
        }
    }
}
