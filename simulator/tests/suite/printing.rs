//! `printf`, `assert` and the heap as kernels see them, and as host code sees them afterwards.

use warpsim::check::Checking;
use warpsim::host::{Argument, Device, Launch, Model, Simulator};
use warpsim::report::{Code, Outcome, Report, Severity};

/// Declarations, a kernel `k(out, x, y)`, and a local buffer of 64 words for arguments.
fn module(variables: &str, body: &str) -> warpsim::ptx::Module {
    let text = format!(
        ".version 7.0 .target sm_70 .address_size 64
         .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
         .extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
         .extern .func (.param .b64 r) malloc(.param .b64 n);
         .extern .func free(.param .b64 p);
         {variables}
         .visible .entry k(.param .u64 out, .param .u64 x, .param .u64 y) {{
           .local .align 8 .b8 depot[512];
           .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %a, %l, %f, %x, %y, %out, %o;
           .param .b64 p0; .param .b64 p1; .param .b32 q; .param .b64 m;
           mov.u64 %l, depot; cvta.local.u64 %a, %l;
           ld.param.u64 %out, [out]; ld.param.u64 %x, [x]; ld.param.u64 %y, [y];
           mov.u32 %r0, %tid.x; mul.wide.u32 %o, %r0, 8; add.u64 %out, %out, %o;
           {body}
           ret;
         }}"
    );
    warpsim::ptx::parse("k.ptx", &text).unwrap()
}

/// A variable with a text that ends with a zero.
fn text(name: &str, text: &str) -> String {
    let bytes: Vec<String> = text.bytes().chain([0]).map(|byte| byte.to_string()).collect();
    format!(".global .align 1 .b8 {name}[{}] = {{{}}};", bytes.len(), bytes.join(", "))
}

/// Calls `vprintf` with the text `format` and the buffer, and keeps what it returns.
const PRINT: &str = "mov.u64 %f, format; cvta.global.u64 %f, %f;
    st.param.b64 [p0], %f; st.param.b64 [p1], %a; call (q), vprintf, (p0, p1);
    ld.param.b32 %r1, [q]; cvt.s64.s32 %x, %r1; st.global.u64 [%out], %x;";

/// The output of a launch of this many threads, its report, and the contents of `out`.
fn run(module: &warpsim::ptx::Module, threads: u32, x: u64, y: u64) -> (Report, Vec<i64>) {
    let mut results = Vec::new();
    for model in [Model::Independent, Model::Lockstep] {
        let mut gpu = Simulator::default();
        gpu.settings_mut().model = model;
        let handle = gpu.load(module).unwrap();
        let bytes = 8 * u64::from(threads);
        let out = gpu.allocate(bytes).unwrap();
        let arguments = [Argument::Pointer(out), Argument::U64(x), Argument::U64(y)];
        let report = gpu.launch(handle, "k", &Launch::new(1, threads), &arguments).unwrap();
        let mut cells = vec![0; bytes as usize];
        gpu.download(out, &mut cells).unwrap();
        let cells = cells.chunks_exact(8).map(|c| i64::from_le_bytes(c.try_into().unwrap()));
        results.push((report, cells.collect::<Vec<i64>>()));
    }
    let second = results.pop().unwrap();
    let first = results.pop().unwrap();
    assert_eq!(first, second, "both models");
    first
}

#[test]
fn a_lane_prints_after_the_other_and_gets_the_number_of_arguments() {
    let module = module(
        &text("format", "%d: %lld %5.2f %c\n"),
        &format!(
            "st.local.u32 [%l], %r0; st.local.u64 [%l+8], %x; st.local.u64 [%l+16], %y;
             st.local.u32 [%l+24], 33; {PRINT}"
        ),
    );
    let (report, returned) = run(&module, 3, (-5i64) as u64, 2.5f64.to_bits());
    assert_eq!(report.printed.text, "0: -5  2.50 !\n1: -5  2.50 !\n2: -5  2.50 !\n");
    assert_eq!((returned, report.printed.lost), (vec![4, 4, 4], 0));
}

#[test]
fn an_argument_may_say_how_wide_a_field_is() {
    // An H200 prints the same of these.
    let module = module(
        &text("format", "[%*d][%*d][%0*d][%*.2f][%*s]"),
        &format!(
            "st.local.v2.u32 [%l], {{4, 1}}; st.local.v2.u32 [%l+8], {{-6, 5}}; st.local.v2.u32 [%l+16], {{6, 5}};
             st.local.u32 [%l+24], 8; st.local.u64 [%l+32], %x; st.local.u32 [%l+40], 4;
             st.local.u32 [%l+64], 0x00000061; add.u64 %f, %a, 64; st.local.u64 [%l+48], %f; {PRINT}"
        ),
    );
    let (report, returned) = run(&module, 1, 2.71f64.to_bits(), 0);
    assert_eq!(report.printed.text, "[   1][5     ][000005][    2.71][   a]");
    assert_eq!(returned, [10]);
}

#[test]
fn a_text_may_lie_in_any_memory_that_the_thread_sees() {
    let module = module(
        &format!("{} .const .align 1 .b8 word[5] = {{99, 111, 110, 115, 116}}; .shared .align 1 .b8 s[4];", text("format", "[%s] [%.3s] [%s] [%s]")),
        &format!(
            "st.shared.u32 [s], 0x00636261; mov.u64 %f, s; cvta.shared.u64 %f, %f; st.local.u64 [%l], %f;
             mov.u64 %f, word; cvta.const.u64 %f, %f; st.local.u64 [%l+8], %f;
             st.local.u32 [%l+64], 0x007a7978; add.u64 %f, %a, 64; st.local.u64 [%l+16], %f;
             st.local.u64 [%l+24], 0; {PRINT}"
        ),
    );
    // `word` has no zero; no more of it is read than is printed.
    let (report, _) = run(&module, 1, 0, 0);
    assert_eq!(report.printed.text, "[abc] [con] [xyz] [(null)]");
}

#[test]
fn without_a_format_nothing_is_printed_and_minus_one_returned() {
    let null = PRINT.replace("mov.u64 %f, format; cvta.global.u64 %f, %f;", "mov.u64 %f, 0;");
    let (report, returned) = run(&module("", &null), 1, 0, 0);
    assert_eq!((report.printed.text.as_str(), returned), ("", vec![-1]));
}

#[test]
fn more_than_32_arguments_are_not_taken() {
    let module = module(&text("format", &"%d".repeat(34)), PRINT);
    let (report, returned) = run(&module, 1, 0, 0);
    assert_eq!(report.printed.text, format!("{}%d%d", "0".repeat(32)));
    assert_eq!(returned, [32]);
}

#[test]
fn a_text_that_lies_nowhere_is_out_of_bounds() {
    let module = module(&text("format", "%s"), &format!("st.local.u64 [%l], %x; {PRINT}"));
    let (report, _) = run(&module, 1, 8, 0);
    assert_eq!((report.outcome, report.findings[0].code), (Outcome::Finding, Code::OutOfBounds));
}

#[test]
fn what_one_gpu_prints_another_schedule_prints_in_its_order() {
    let module = module(&text("format", "%d "), &format!("st.local.u32 [%l], %r0; {PRINT}"));
    let mut gpu = Simulator::default();
    gpu.settings_mut().schedule = "reverse".parse().unwrap();
    let handle = gpu.load(&module).unwrap();
    let out = gpu.allocate(512).unwrap();
    let arguments = [Argument::Pointer(out), Argument::U64(0), Argument::U64(0)];
    let report = gpu.launch(handle, "k", &Launch::new(1, 64), &arguments).unwrap();
    let threads: Vec<String> = (0..64).rev().map(|thread| format!("{thread} ")).collect();
    assert_eq!(report.printed.text, threads.concat());
}

#[test]
fn a_failed_assertion_prints_what_cuda_prints() {
    let variables = [text("message", "i < n"), text("file", "k.cu"), text("name", "void k(int)")];
    let module = module(
        &format!("{} {}", variables.join(" "), ""),
        ".param .b64 a0; .param .b64 a1; .param .b32 a2; .param .b64 a3; .param .b64 a4;
         setp.lt.u32 %p, %r0, 2; @%p ret;
         mov.u64 %f, message; cvta.global.u64 %f, %f; st.param.b64 [a0], %f;
         mov.u64 %f, file; cvta.global.u64 %f, %f; st.param.b64 [a1], %f;
         st.param.b32 [a2], 12;
         mov.u64 %f, name; cvta.global.u64 %f, %f; st.param.b64 [a3], %f;
         st.param.b64 [a4], 1;
         call __assertfail, (a0, a1, a2, a3, a4);",
    );
    let (report, _) = run(&module, 4, 0, 0);
    assert_eq!((report.outcome, report.findings[0].code), (Outcome::Trap, Code::Assert));
    let line = |thread: u32| {
        format!(
            "k.cu:12: void k(int): block: [0,0,0], thread: [{thread},0,0] Assertion `i < n` failed.\n"
        )
    };
    assert_eq!(report.printed.text, line(2) + &line(3));
}

/// Takes `%x` bytes from the heap, and keeps the address.
const TAKE: &str = "st.param.b64 [p0], %x; call (m), malloc, (p0); ld.param.b64 %f, [m];
    st.global.u64 [%out], %f;";

#[test]
fn memory_of_the_heap_is_the_threads_own_and_lives_on() {
    let take = module("", &format!("{TAKE} st.u32 [%f], %r0;"));
    let give = module("", "ld.global.u64 %f, [%out]; st.param.b64 [p0], %f; call free, (p0);");
    let mut gpu = Simulator::default();
    gpu.settings_mut().checking = Some(Checking::default());
    let (take, give) = (gpu.load(&take).unwrap(), gpu.load(&give).unwrap());
    let out = gpu.allocate(64).unwrap();
    let arguments = [Argument::Pointer(out), Argument::U64(16), Argument::U64(0)];
    let report = gpu.launch(take, "k", &Launch::new(1, 8), &arguments).unwrap();
    assert_eq!(report.findings, []);
    let leak = gpu.leaks().unwrap();
    assert_eq!((leak.code, leak.severity), (Code::Leak, Severity::Note));
    assert!(leak.explanation.starts_with("8 pieces") && leak.explanation.ends_with("128 bytes"));
    let mut cells = [0; 64];
    gpu.download(out, &mut cells).unwrap();
    for (lane, cell) in cells.chunks_exact(8).enumerate() {
        let address = u64::from_le_bytes(cell.try_into().unwrap());
        assert_eq!(address % 16, 0);
        let mut word = [0; 4];
        gpu.peek(warpsim::host::Pointer(address), &mut word).unwrap();
        assert_eq!(u32::from_le_bytes(word), lane as u32);
    }
    let report = gpu.launch(give, "k", &Launch::new(1, 8), &arguments).unwrap();
    assert_eq!((report.outcome, gpu.leaks()), (Outcome::Completed, None));
    // What was given back is given back once.
    let report = gpu.launch(give, "k", &Launch::new(1, 8), &arguments).unwrap();
    assert_eq!((report.outcome, report.findings[0].code), (Outcome::Fault, Code::InvalidFree));
}

#[test]
fn a_heap_that_is_used_up_gives_null() {
    let (report, addresses) = run(&module("", TAKE), 3, 4 << 20, 0);
    assert_eq!(report.outcome, Outcome::Completed);
    let taken: Vec<bool> = addresses.iter().map(|address| *address != 0).collect();
    assert_eq!(taken, [true, true, false], "8 MiB");
    assert_eq!(run(&module("", TAKE), 1, u64::MAX, 0).1, [0]);
    assert_ne!(run(&module("", TAKE), 1, 0, 0).1, [0], "as on an H200");
}

#[test]
fn memory_is_not_to_be_used_when_it_was_given_back_nor_what_is_not_of_the_heap_to_be_freed() {
    let back = "st.param.b64 [p0], %f; call free, (p0);";
    let after = module("", &format!("{TAKE} {back} st.u32 [%f], 1;"));
    let (report, _) = run(&after, 1, 8, 0);
    assert_eq!(report.findings[0].code, Code::UseAfterFree);
    let foreign = module("", "mov.u64 %f, %out; st.param.b64 [p0], %f; call free, (p0);");
    let (report, _) = run(&foreign, 1, 0, 0);
    assert_eq!(report.findings[0].code, Code::InvalidFree);
    let inside = module("", &format!("{TAKE} add.u64 %f, %f, 4; {back}"));
    let (report, _) = run(&inside, 1, 8, 0);
    assert_eq!(report.findings[0].code, Code::InvalidFree);
    let nothing = module("", &format!("mov.u64 %f, 0; {back}"));
    assert_eq!(run(&nothing, 1, 0, 0).0.outcome, Outcome::Completed);
}
