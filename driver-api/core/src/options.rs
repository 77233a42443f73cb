//! The options of a program's device: `warpsim exec` carries them to the program and its children
//! in one environment variable as JSON.
//!
//! A library that is loaded without that variable has the defaults. A variable that cannot be read
//! is reported, and `cuInit` gives `CUDA_ERROR_INVALID_VALUE`. A program must not run unchecked
//! because of a mistake here.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use warpsim::check::{Checking, Schedules};
use warpsim::host::{DeviceProfile, Launcher, Model, Settings, SharedInit, Simulator, Threads};
use warpsim::passes;
use warpsim::schedule::Schedule;

use crate::chosen::Choice;

/// The environment variable.
pub const VARIABLE: &str = "WARPSIM_EXEC";

/// Where the memory of the device begins. It is below all that Linux maps by itself and above
/// programs at fixed addresses, so a device address is never a host address.
pub const DEVICE_MEMORY: u64 = 0x2000_0000_0000;

/// Where it ends.
pub const DEVICE_MEMORY_END: u64 = 0x4000_0000_0000;

/// The options of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Whether launches are checked.
    #[serde(default)]
    pub check: bool,
    /// Whether to count how launches use the machine.
    #[serde(default)]
    pub stats: bool,
    /// Which launches are checked and counted, if not all.
    #[serde(default)]
    pub choice: Choice,
    /// The schedule of launches. `None` means in-order, and several schedules if launches are
    /// checked.
    #[serde(default)]
    pub schedule: Option<String>,
    /// Whether a warp has one program counter.
    #[serde(default)]
    pub lockstep: bool,
    /// What shared memory holds at first.
    #[serde(default)]
    pub shared: Shared,
    /// Passes that modules go through when they are loaded.
    #[serde(default)]
    pub passes: Vec<String>,
    /// Warp instructions after which a launch is given up.
    #[serde(default)]
    pub max_steps: Option<u64>,
    /// The number of host threads.
    #[serde(default)]
    pub threads: Option<usize>,
    /// The device profile, if it is not the H200's.
    #[serde(default)]
    pub profile: Option<Profile>,
    /// The file for findings.
    #[serde(default)]
    pub journal: Option<PathBuf>,
    /// The file for the progress of the process.
    #[serde(default)]
    pub ledger: Option<PathBuf>,
    /// The file that is locked while the command runs.
    #[serde(default)]
    pub lock: Option<PathBuf>,
    /// The file for the log of calls.
    #[serde(default)]
    pub log: Option<PathBuf>,
    /// Whether the journal has each operation of a stream, with its times.
    #[serde(default)]
    pub timeline: bool,
    /// The beginning of the names of the files for traced launches, if the report is a page.
    #[serde(default)]
    pub page: Option<PathBuf>,
    /// The launch that a person steps through.
    #[serde(default)]
    pub debug: Option<Debugged>,
}

/// A launch that a person steps through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Debugged {
    /// The kernel, by its name in the source or in the PTX.
    pub kernel: String,
    /// Which of its launches in a process, from 1.
    pub launch: u64,
    /// Commands that are carried out first.
    #[serde(default)]
    pub commands: Vec<String>,
    /// A file that is made when a process reaches the launch.
    #[serde(default)]
    pub reached: Option<PathBuf>,
    /// The socket of a debug adapter's client. Without one, the person has the program's standard
    /// input.
    #[serde(default)]
    pub adapter: Option<PathBuf>,
}

/// [`SharedInit`] as it is carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "named as the variants of `SharedInit`")]
pub enum Shared {
    #[default]
    Zero,
    Poison,
    Random(u64),
    Leftover,
}

impl From<SharedInit> for Shared {
    fn from(init: SharedInit) -> Shared {
        match init {
            SharedInit::Zero => Shared::Zero,
            SharedInit::Poison => Shared::Poison,
            SharedInit::Random(seed) => Shared::Random(seed),
            SharedInit::Leftover => Shared::Leftover,
        }
    }
}

impl From<Shared> for SharedInit {
    fn from(init: Shared) -> SharedInit {
        match init {
            Shared::Zero => SharedInit::Zero,
            Shared::Poison => SharedInit::Poison,
            Shared::Random(seed) => SharedInit::Random(seed),
            Shared::Leftover => SharedInit::Leftover,
        }
    }
}

/// A device profile as it is carried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    name: String,
    multiprocessors: u32,
    blocks_per_multiprocessor: u32,
    threads_per_multiprocessor: u32,
    threads_per_block: u32,
    shared_per_multiprocessor: u32,
    shared_per_block: u32,
    reserved_shared: u32,
    reserved_shared_end: u32,
    global_memory: u64,
    stack: u32,
}

impl From<&DeviceProfile> for Profile {
    fn from(profile: &DeviceProfile) -> Profile {
        Profile {
            name: profile.name.clone(),
            multiprocessors: profile.multiprocessors,
            blocks_per_multiprocessor: profile.blocks_per_multiprocessor,
            threads_per_multiprocessor: profile.threads_per_multiprocessor,
            threads_per_block: profile.threads_per_block,
            shared_per_multiprocessor: profile.shared_per_multiprocessor,
            shared_per_block: profile.shared_per_block,
            reserved_shared: profile.reserved_shared,
            reserved_shared_end: profile.reserved_shared_end,
            global_memory: profile.global_memory,
            stack: profile.stack,
        }
    }
}

impl From<&Profile> for DeviceProfile {
    fn from(carried: &Profile) -> DeviceProfile {
        let mut profile = DeviceProfile::h200();
        profile.name.clone_from(&carried.name);
        profile.multiprocessors = carried.multiprocessors;
        profile.blocks_per_multiprocessor = carried.blocks_per_multiprocessor;
        profile.threads_per_multiprocessor = carried.threads_per_multiprocessor;
        profile.threads_per_block = carried.threads_per_block;
        profile.shared_per_multiprocessor = carried.shared_per_multiprocessor;
        profile.shared_per_block = carried.shared_per_block;
        profile.reserved_shared = carried.reserved_shared;
        profile.reserved_shared_end = carried.reserved_shared_end;
        profile.global_memory = carried.global_memory;
        profile.stack = carried.stack;
        profile
    }
}

impl Options {
    /// Reads the options from the text of the variable.
    ///
    /// # Errors
    /// The text cannot be read; the error says why.
    ///
    /// ```
    /// use warpsim_driver_core::Options;
    ///
    /// let asked = Options { check: true, ..Options::default() };
    /// assert_eq!(Options::read(&asked.text()?), Ok(asked));
    /// assert!(Options::read("{\"chekc\": true}").is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn read(text: &str) -> Result<Options, String> {
        let options: Options = serde_json::from_str(text).map_err(|error| error.to_string())?;
        options.parsed_schedule()?;
        if let Some(unknown) = options.passes.iter().find(|name| passes::by_name(name).is_none()) {
            return Err(format!("unknown pass `{unknown}`"));
        }
        Ok(options)
    }

    /// The text of the variable.
    ///
    /// # Errors
    /// A path is no text; the error says why.
    pub fn text(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|error| error.to_string())
    }

    fn parsed_schedule(&self) -> Result<Option<Box<dyn Schedule>>, String> {
        let parse = |text: &String| text.parse().map_err(|error| format!("{text}: {error}"));
        self.schedule.as_ref().map(parse).transpose()
    }

    /// A device that runs so.
    pub(crate) fn device(&self) -> Simulator {
        let mut device = Simulator::new(self.device_profile()).with_memory_at(DEVICE_MEMORY);
        self.apply(device.settings_mut());
        device
    }

    /// The profile of that device, as it is at first.
    pub(crate) fn device_profile(&self) -> DeviceProfile {
        self.profile.as_ref().map_or_else(DeviceProfile::h200, DeviceProfile::from)
    }

    fn apply(&self, settings: &mut Settings) {
        if let Ok(Some(schedule)) = self.parsed_schedule() {
            settings.schedule = schedule;
        }
        if let Some(max_steps) = self.max_steps {
            settings.max_steps = max_steps;
        }
        settings.launcher = Launcher::Program;
        settings.device_launches = true;
        settings.model = if self.lockstep { Model::Lockstep } else { Model::Independent };
        settings.shared_init = self.shared.into();
        settings.threads = self.threads.map_or_else(Threads::all, Threads::up_to);
        settings.checking = self.check.then(|| self.checking());
    }

    /// Warp instructions after which a launch is given up whose steps are kept.
    pub(crate) fn max_kept_steps(&self) -> u64 {
        const MOST: u64 = 1_000_000;
        self.max_steps.unwrap_or(MOST)
    }

    /// How a launch is checked.
    pub(crate) fn checking(&self) -> Checking {
        let schedules = match self.schedule {
            Some(_) => Schedules::AsSet,
            None => Schedules::Merged,
        };
        Checking::default().with_schedules(schedules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_path_that_is_no_utf_8_is_refused_and_not_changed_on_the_way() {
        use std::os::unix::ffi::OsStrExt;
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(b"/tmp/\xff"));
        for options in [
            Options { log: Some(path.clone()), ..Options::default() },
            Options { journal: Some(path.clone()), ..Options::default() },
            Options { ledger: Some(path.clone()), ..Options::default() },
            Options { page: Some(path.clone()), ..Options::default() },
            Options { lock: Some(path), ..Options::default() },
        ] {
            assert!(options.text().is_err());
        }
        let asked = Options { check: true, log: Some("/tmp/a".into()), ..Options::default() };
        assert_eq!(Options::read(&asked.text().unwrap()).unwrap(), asked);
    }
}
