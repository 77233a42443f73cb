//! Tests of the whole table: against an H200, form by form.
//!
//! [`kernels`] writes a kernel for each form, and [`operands`] chooses its inputs.
//! `tests/recordings/register-operations.json` holds the answers of a GPU, and [`recorded`]
//! compares. [`harness`] runs a form for these and for the families' own tests.
//!
//! To record again, on a machine with a GPU: run the test that writes the kernels with
//! `WARPSIM_KERNELS` naming an empty folder, compile what it wrote (`ptxas -arch sm_90 all.ptx -o
//! all.cubin`), and run `tests/recordings/register_operations.py` on that folder.

pub(crate) mod harness;
mod kernels;
mod masks;
pub(crate) mod operands;
mod primitives;
mod recorded;
