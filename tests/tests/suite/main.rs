//! Tests of the whole system, one module for each subject, in one program: it is linked once.
//!
//! Those that are one for each file of a folder are in [`cases`](../cases/main.rs).

mod check_advice;
mod check_hardware;
mod check_mends;
mod check_resources;
mod differential;
mod docs_add_an_instruction;
mod docs_excerpts;
mod docs_isa;
mod docs_pictures;
mod hardware_facts;
mod isa_corpus;
mod layout;
mod litmus;
mod lowest;
mod machine_corpus_arrays;
mod machine_corpus_language;
mod machine_corpus_sines;
mod machine_corpus_warps;
mod memory_model_chapter;
mod programs_async;
mod programs_by_property;
mod programs_five_rows;
mod programs_properties;
mod programs_right_and_wrong;
mod programs_small;
mod programs_story;
mod programs_texts;
mod programs_trapezoid;
mod properties_machine;
mod properties_races;
mod properties_uninitialized;
mod property_book;
mod property_library;
mod ptx_corners;
mod ptx_corpus;
mod ptx_errors;
mod ptx_robustness;
mod public_structs;
mod scan_by_model;
mod schedules_progress;
mod stepper_states;
mod tensor_tiles;
mod uninitialized_scan;
mod video_instructions;
