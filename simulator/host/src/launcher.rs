//! Which kind of user describes a launch, so that advice names the settings that this user can
//! change.

/// By whom launches are described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Launcher {
    /// Rust code that calls this library.
    #[default]
    Library,
    /// The options of the `warpsim` command.
    Command,
    /// A CUDA program, which runs unchanged: the options of the command say nothing of its
    /// launches.
    Program,
}

impl Launcher {
    /// What says how much dynamic shared memory a block has.
    pub(crate) fn dynamic_shared(self) -> &'static str {
        match self {
            Launcher::Library => "set the size by `Launch::shared`",
            Launcher::Command => "set the size by --shared BYTES",
            Launcher::Program => "set the size by the third value in <<< >>>, in bytes",
        }
    }

    /// What makes a launch cooperative.
    pub(crate) fn cooperative(self) -> &'static str {
        match self {
            Launcher::Library => {
                "set `Launch::cooperative`; host code calls cudaLaunchCooperativeKernel"
            }
            Launcher::Command => "use --cooperative; host code calls cudaLaunchCooperativeKernel",
            Launcher::Program => "launch it by cudaLaunchCooperativeKernel",
        }
    }

    /// What raises the limit of steps.
    pub(crate) fn more_steps(self) -> &'static str {
        match self {
            Launcher::Library => "raise `Settings::max_steps` if the kernel needs longer",
            Launcher::Command | Launcher::Program => {
                "raise it with --max-steps if the kernel needs longer"
            }
        }
    }
}
