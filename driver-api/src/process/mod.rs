//! The process around the driver: its memory, its standard streams, its threads, its end.
//!
//! | file | what it holds |
//! |---|---|
//! | `system_calls` | messages, mapped files, texts that stay |
//! | `objects` | the program and its libraries as the loader has them, and who called |
//! | `host` | the process as the core sees it |
//! | `driver` | the one driver, and how a call enters it |
//! | `answers` | what C gets for an answer |
//! | `library` | the results of libraries on top of CUDA |
//! | `stored` | the numbers of libraries as memory has them |
//! | `calls` | a call from C, from its arguments to its number |
//! | `debugging` | a launch that a person steps through |
//! | `tracing` | a launch that is traced for the page of a report |

mod answers;
mod calls;
mod debugging;
mod driver;
mod host;
mod library;
mod objects;
mod stored;
mod system_calls;
mod tracing;

pub(crate) use answers::{Api, Arguments, Number};
pub(crate) use calls::{absent, answered, entered};
pub(crate) use driver::{cannot_run, checked, initialise, named_once, unsupported, with};
pub(crate) use library::library;
pub(crate) use objects::{
    LINK_ADVICE, Loaded, Patch, caller_file, code, objects, of_program, overwrite, passed_on,
    python_stack, return_addresses,
};
pub(crate) use stored::Stored;
pub(crate) use system_calls::{interned, shared_words, tell, thread};
