//! Random programs whose cells are all written before they are read use nothing undefined; with one
//! write left out they do exactly when the value read there is used.
//!
//! Each cell of 4 bytes has a way of being written, a way that its value travels, and an end: a use
//! or none. All writes come first, in any order; the journeys are independent of each other. What
//! is expected follows from that alone.

use std::fmt::Write as _;

use proptest::prelude::*;
use warpsim::host::{Argument, Device, Launch, Model, Simulator};
use warpsim::observe::Uninitialized;
use warpsim::report::Severity;

/// Where a cell lies.
const SPACES: [(&str, &str); 3] = [("shared", "s"), ("local", "l"), ("global", "%g")];

/// How a cell is written: width and offset of the stores.
const WRITES: [&[(u32, u32)]; 4] =
    [&[(4, 0)], &[(2, 2), (2, 0)], &[(1, 3), (1, 0), (1, 2), (1, 1)], &[(1, 0), (1, 1), (2, 2)]];

/// A step of the way from `%v` to `%v`, using scratch cells.
const STEPS: [&str; 10] = [
    "mov.b32 %w, %v; mov.b32 %v, %w;",
    "st.shared.u32 [s+512], %v; ld.shared.u32 %v, [s+512];",
    "st.local.u32 [l+512], %v; ld.local.u32 %v, [l+512];",
    "mov.b64 %d, {%z, %v}; mov.b64 {%w, %v}, %d;",
    "shfl.sync.idx.b32 %v, %v, 0, 31, 1;",
    "prmt.b32 %v, %v, %z, 0x0123;",
    "selp.b32 %v, %v, %z, %yes;",
    "shr.u32 %w, %v, 16; shl.b32 %v, %v, 16; or.b32 %v, %v, %w;",
    "{ .param .b32 p, q; st.param.b32 [p], %v; call (q), same, (p); ld.param.b32 %v, [q]; }",
    "cvt.u64.u32 %d, %v; cvt.u32.u64 %v, %d;",
];

/// What becomes of the value at last, and whether that is a use.
const ENDS: [(&str, bool); 8] = [
    ("st.shared.u32 [s+512], %v;", false),
    ("st.local.u32 [l+516], %v;", false),
    ("selp.b32 %w, %z, %v, %yes; st.global.u32 [%out], %w;", false),
    ("st.global.u32 [%out], %v;", true),
    ("add.u32 %w, %v, 3; st.global.u32 [%out], %w;", true),
    ("setp.eq.u32 %p, %v, 1; @%p mov.u32 %w, 0;", true),
    ("and.b32 %w, %v, 4; cvt.u64.u32 %d, %w; add.u64 %d, %d, %out; st.global.u32 [%d], 1;", true),
    ("red.global.add.u32 [%out], %v;", true),
];

/// A cell and its journey.
#[derive(Clone, Debug)]
struct Journey {
    space: usize,
    write: usize,
    steps: Vec<usize>,
    end: usize,
}

fn journey() -> impl Strategy<Value = Journey> {
    let steps = prop::collection::vec(0..STEPS.len(), 0..5);
    (0..SPACES.len(), 0..WRITES.len(), steps, 0..ENDS.len())
        .prop_map(|(space, write, steps, end)| Journey { space, write, steps, end })
}

fn program(journeys: &[Journey], without: Option<(usize, usize)>) -> String {
    let mut body = String::new();
    for (i, Journey { space, write, .. }) in journeys.iter().enumerate() {
        let (space, base) = SPACES[*space];
        for (k, (width, offset)) in WRITES[*write].iter().enumerate() {
            if without != Some((i, k)) {
                let at = 4 * i as u32 + offset;
                let bits = 8 * width;
                let value = if bits == 32 { "%z" } else { "%h" };
                writeln!(body, "st.{space}.b{bits} [{base}+{at}], {value};").unwrap();
            }
        }
    }
    for (i, Journey { space, steps, end, .. }) in journeys.iter().enumerate() {
        let (space, base) = SPACES[*space];
        writeln!(body, "ld.{space}.u32 %v, [{base}+{}];", 4 * i).unwrap();
        steps.iter().for_each(|step| writeln!(body, "{}", STEPS[*step]).unwrap());
        writeln!(body, "{}", ENDS[*end].0).unwrap();
    }
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .func (.param .b32 r) same(.param .b32 a) {{ .reg .b32 %a; .local .b32 x;\n\
         ld.param.b32 %a, [a]; st.local.b32 [x], %a; ld.local.b32 %a, [x]; st.param.b32 [r], %a; ret; }}\n\
         .visible .entry k(.param .u64 out, .param .u64 g) {{\n\
         .shared .align 16 .b8 s[1024]; .local .align 16 .b8 l[1024];\n\
         .reg .u64 %out, %g, %d; .reg .b32 %v, %w, %z; .reg .b16 %h; .reg .pred %yes, %p;\n\
         ld.param.u64 %out, [out]; ld.param.u64 %g, [g]; mov.u32 %z, 0; mov.u16 %h, 0;\n\
         setp.eq.u32 %yes, %z, 0;\n{body}ret;\n}}\n"
    )
}

/// How many findings a program has.
fn findings(text: &str, model: Model) -> usize {
    let module = warpsim::ptx::parse("k.ptx", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut gpu = Simulator::default();
    gpu.settings_mut().model = model;
    let handle = gpu.load(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (out, g) = (gpu.allocate(64).unwrap(), gpu.allocate(1024).unwrap());
    gpu.upload(out, &[0; 64]).unwrap();
    let mut watching = Uninitialized::default();
    let launch = Launch::new(1, 1);
    let arguments = [Argument::Pointer(out), Argument::Pointer(g)];
    gpu.launch_observed(handle, "k", &launch, &arguments, &mut watching).unwrap();
    watching.findings().iter().filter(|finding| finding.severity > Severity::Note).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(warpsim_effort::cases(192, 2000)))]

    #[test]
    fn a_write_left_out_shows_exactly_where_the_value_is_used(
        journeys in prop::collection::vec(journey(), 1..8),
        chosen in any::<prop::sample::Index>(),
        lockstep in any::<bool>(),
    ) {
        let model = if lockstep { Model::Lockstep } else { Model::Independent };
        let whole = program(&journeys, None);
        prop_assert_eq!(findings(&whole, model), 0, "{}", whole);
        let i = chosen.index(journeys.len());
        // A cell that is written by one store is left out as a whole.
        if WRITES[journeys[i].write].len() == 1 {
            let text = program(&journeys, Some((i, 0)));
            let expected = usize::from(ENDS[journeys[i].end].1);
            prop_assert_eq!(findings(&text, model), expected, "{}", text);
        }
    }

    #[test]
    fn bytes_left_out_show_where_the_whole_word_is_computed_with(
        mut journeys in prop::collection::vec(journey(), 1..8),
        chosen in any::<prop::sample::Index>(),
        write in 1..WRITES.len(),
        part in any::<prop::sample::Index>(),
    ) {
        let i = chosen.index(journeys.len());
        journeys[i].write = write;
        let part = part.index(WRITES[write].len());
        let text = program(&journeys, Some((i, part)));
        // A store of a word with some defined bytes copies padding. `and` takes one byte, which may
        // or may not be the one left out.
        let expected = match journeys[i].end {
            4 | 5 | 7 => Some(1),
            0..=3 => Some(0),
            _ => None,
        };
        if let Some(expected) = expected {
            prop_assert_eq!(findings(&text, Model::Independent), expected, "{}", text);
        }
    }
}
