//! The differential search: random PTX programs, run on a GPU and on the simulator, and whatever
//! differs made small.
//!
//! | module | what it is for |
//! |---|---|
//! | [`forms`] | the forms that the table of instructions has, and which family writes them |
//! | [`operands`] | tables of operands, at the edges as often as at random |
//! | [`straight`] | straight-line programs of register forms |
//! | [`video`] | the selectors and signs of video instructions |
//! | [`single`] | programs of instructions that do more than compute, one at a time |
//! | [`structured`] | programs of threads: branches, loops, memory, barriers, warps, atomics |
//! | [`program`] | one program of any family, and how it is launched |
//! | [`batch`] | many programs as one module |
//! | [`run`] | a batch on a device: digests of what every instruction gave |
//! | [`search`] | batches on both, in parallel, and what differs |
//! | [`shrink`] | a difference made small, and written as a conformance file |
//! | [`approximate`] | how much approximate results differ |
//! | [`recording`] | the digests of a GPU as a file, for machines without one |
//! | [`replay`] | single programs again, and batches against a recording |
//! | [`shards`] | a search, or a comparison with a recording, on more than one machine |
//! | [`report`] | what was run and what was found |
//!
//! A program is a pure function of its family, the seed, its number, and the list of forms that are
//! drawn from. Programs are valid and free of races by construction, and nothing in them that PTX
//! leaves open reaches a result. The approximate forms are the exception, and have their own
//! family.

pub mod approximate;
pub mod batch;
pub mod draw;
pub mod forms;
pub mod operands;
pub mod program;
pub mod recording;
pub mod replay;
pub mod report;
pub mod run;
pub mod search;
pub mod shards;
pub mod shrink;
pub mod single;
pub mod straight;
pub mod structured;
pub mod video;

pub use draw::Draw;
pub use forms::{Forms, RegisterForm};
pub use program::{Family, Program, Written};
