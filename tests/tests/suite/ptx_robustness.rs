//! Whatever the bytes, the parser answers: it does not panic, hang, or try anything too large. And
//! errors are reported at their places.

use std::path::Path;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use proptest::prelude::*;
use proptest::sample::Index;
use warpsim::diagnostics::{Colour, Diagnostic, render};
use warpsim::ptx::{SyntaxError, SyntaxErrorKind, limits, parse, parse_bytes, print};

const HEADER: &str = ".version 8.5\n.target sm_80\n.address_size 64\n";

fn corpus_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Both dialects, and one file with debug sections and inlined calls.
const SMALL: [&str; 4] = [
    "nvrtc13-sm80-O3/k09b_sin_only.ptx",
    "clang19-sm70-O3/k01_scan_plain.ptx",
    "nvrtc13-sm80-G/k14_dyn_shared.ptx",
    "nvrtc13-sm120-O3/k15_noinline.ptx",
];

/// Time that a processor has spent on this thread. Time on the clock would judge how busy the
/// machine is that runs the test.
fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock of POSIX").into()
}

/// Reads bytes as PTX. An error can be drawn, and valid PTX prints and reads again.
fn read(bytes: &[u8]) {
    match parse_bytes("mutated", bytes) {
        Ok(module) => {
            let printed = print(&module);
            let again = parse("printed", &printed).expect("what we print is PTX");
            assert!(again == module, "another tree");
        }
        Err(error) => {
            assert!(error.span.start <= error.span.end);
            assert!(error.span.end as usize <= bytes.len());
            let text = String::from_utf8_lossy(bytes);
            let drawn = render(&Diagnostic::from(&error), "mutated", &text, Colour::Never);
            assert!(drawn.starts_with("error: "));
        }
    }
}

/// A change to a text.
#[derive(Clone, Debug)]
enum Mutation {
    Byte(Index, u8),
    Remove(Index, usize),
    Repeat(Index, usize),
    Insert(Index, &'static str),
    Truncate(Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let pieces = prop::sample::select(vec![
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        ".",
        ":",
        "::",
        "@",
        "!",
        "|",
        "-",
        "%",
        "\"",
        "/*",
        "0x",
        "0f",
        "1e",
        "9999999999999999999999",
        "<4000000000>",
        "\0",
        "é",
        ".loc 1 1 1",
        ", inlined_at 1 1 1",
        ".section .x {",
        ".reg .b32 ",
        "call (",
        "generic(",
        "?",
        "(.s64)",
    ]);
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte(at, byte)),
        (any::<Index>(), 1..40usize).prop_map(|(at, length)| Mutation::Remove(at, length)),
        (any::<Index>(), 1..40usize).prop_map(|(at, length)| Mutation::Repeat(at, length)),
        (any::<Index>(), pieces).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        any::<Index>().prop_map(Mutation::Truncate),
    ]
}

fn apply(bytes: &mut Vec<u8>, mutation: &Mutation) {
    if bytes.is_empty() {
        return;
    }
    match mutation {
        Mutation::Byte(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Mutation::Remove(at, length) => {
            let start = at.index(bytes.len());
            bytes.drain(start..(start + length).min(bytes.len()));
        }
        Mutation::Repeat(at, length) => {
            let start = at.index(bytes.len());
            let piece = bytes[start..(start + length).min(bytes.len())].to_vec();
            bytes.splice(start..start, piece);
        }
        Mutation::Insert(at, piece) => {
            let start = at.index(bytes.len());
            bytes.splice(start..start, piece.bytes());
        }
        Mutation::Truncate(at) => bytes.truncate(at.index(bytes.len())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: warpsim_effort::cases(1000, 20_000), ..ProptestConfig::default() })]

    #[test]
    fn no_mutation_of_a_file_makes_the_parser_panic(
        file in 0..SMALL.len(),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let mut bytes = corpus_file(SMALL[file]).into_bytes();
        for mutation in &mutations {
            apply(&mut bytes, mutation);
        }
        read(&bytes);
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read(&bytes);
        read(&[HEADER.as_bytes(), &bytes].concat());
        read(&[HEADER.as_bytes(), b".entry k() { ", &bytes].concat());
    }

    #[test]
    fn no_heap_of_tokens_makes_the_parser_panic(
        tokens in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..60),
    ) {
        let tokens = tokens.join(" ");
        read(format!("{HEADER}{tokens}").as_bytes());
        read(format!("{HEADER}.entry k() {{ {tokens}").as_bytes());
        read(format!("{HEADER}.global .b32 x = {tokens}").as_bytes());
        read(format!("{HEADER}.entry k() {{ mov {tokens}").as_bytes());
    }
}

const TOKENS: [&str; 54] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    "@",
    "!",
    "|",
    "+",
    "-",
    "*",
    "/",
    "%",
    "~",
    "?",
    "&&",
    "<<",
    "==",
    "=",
    "x",
    "%r1",
    "_",
    "call",
    "ret",
    "mov",
    "generic",
    "WARP_SZ",
    "0",
    "1",
    "18446744073709551615",
    "9223372036854775808",
    "0f3F800000",
    "1.5",
    "\"s\"",
    ".reg",
    ".b32",
    ".shared",
    ".param",
    ".entry",
    ".func",
    ".visible",
    ".loc 1 1 1",
    ".file 1",
    ".section",
    ".pragma",
    ".align 4",
    ".x",
    ".callprototype",
];

#[test]
fn every_beginning_of_a_file_is_an_error_or_a_module() {
    let text = corpus_file("clang19-sm70-O3/k02_scan_volatile.ptx");
    assert!(text.is_ascii() && text.len() < 10_000);
    for end in 0..text.len() {
        let beginning = &text[..end];
        if let Err(error) = parse("beginning", beginning) {
            // Everything up to here was right, so the error is at the end (unless a token was cut
            // and became another).
            let last = beginning.trim_end().rfind(|c: char| !is_word(c)).unwrap_or(0);
            assert!(error.span.end as usize >= last, "{end}: {error}");
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$%.\"".contains(c)
}

/// The end of the last token before `at`, comments left out.
fn end_of_token_before(text: &str, at: usize) -> usize {
    let mut end = 0;
    let mut position = 0;
    while position < at {
        let rest = &text[position..at];
        let comment = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |n| n + 2)
        } else {
            0
        };
        if comment == 0 && !rest.starts_with(char::is_whitespace) {
            end = position + 1;
        }
        position += comment.max(1);
    }
    end
}

/// All `;` that are not in comments or strings.
fn semicolons(text: &str) -> Vec<usize> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
    let mut offset = 0;
    let mut found = Vec::new();
    for (line, code) in text.lines().zip(code) {
        found.extend(code.match_indices(';').map(|(at, _)| offset + at));
        offset += line.len() + 1;
    }
    found
}

#[test]
fn a_missing_semicolon_is_an_error_at_that_place() {
    let files = [
        "nvrtc13-sm80-O3/k01_scan_plain.ptx",
        "nvrtc13-sm80-naive/k10_syncthreads_votes.ptx",
        "nvrtc13-sm80-O3/k08_threadfence_reduce.ptx",
        "nvrtc13-sm80-G/k14_dyn_shared.ptx",
        "nvrtc13-sm120-O3/k15_noinline.ptx",
        "nvrtc12-sm70-O3/k06_max_atomic.ptx",
        "clang19-sm70-O3/k04_block_reduce.ptx",
        "clang19-sm70-O3/k08_threadfence_reduce.ptx",
    ];
    let mut checked = 0;
    for file in files {
        let text = corpus_file(file);
        assert!(text.is_ascii() && !text.contains("/*"));
        for at in semicolons(&text) {
            let mut without = text.clone();
            without.replace_range(at..=at, "");
            let place = format!("{file}:{}", text[..at].matches('\n').count() + 1);
            let error = parse(file, &without).expect_err(&place);
            let wanted = end_of_token_before(&text, at);
            assert_eq!(error.span.start as usize, wanted, "{place}: {error}");
            let missing = matches!(error.kind, SyntaxErrorKind::MissingSemicolon { .. });
            let prototype = error.to_string().contains("`;`");
            assert!(missing || prototype, "{place}: {error}");
            checked += 1;
        }
    }
    assert!(checked > 750, "only {checked} semicolons");
}

#[test]
fn the_barrier_of_a_block_takes_operands_and_that_of_a_cluster_none() {
    for text in
        ["barrier.arrive %r1, %r2;", "barrier.cta.arrive.aligned 1, 64;", "bar.arrive 1, 64;"]
    {
        parse("k.ptx", &format!("{HEADER}.entry k() {{ {text} ret; }}")).unwrap();
    }
    error_of(&format!("{HEADER}.entry k() {{ barrier.cluster.arrive 1, 64; ret; }}"));
}

/// What follows a `ret` without its `;` is the next statement, not an operand.
#[test]
fn an_instruction_without_operands_does_not_swallow_the_next_line() {
    let opcodes = [
        "ret",
        "exit",
        "@%p1 trap",
        "brkpt",
        "membar.gl",
        "fence.acq_rel.gpu",
        "fence.proxy.async",
        "griddepcontrol.wait",
        "cp.async.commit_group",
        "cp.async.wait_all",
        "wgmma.fence.sync.aligned",
        "barrier.cluster.arrive.aligned",
        "nobody.knows.this",
    ];
    let next = [
        "add.s32 %r1, %r2, %r3;",
        "ret;",
        "@%p1 bra l;",
        "l: ret;",
        "{ .reg .b32 x; }",
        "}",
        ".loc 1 1 1 ret;",
        ".reg .b32 x;",
        ".pragma \"nounroll\";",
        "call.uni f;",
        "",
    ];
    for opcode in opcodes {
        for next in next {
            if opcode == "nobody.knows.this" && next == "ret;" {
                // `ret` might be a name.
                continue;
            }
            for separator in ["\n\t", " // why\n", "\n\n/* ; */"] {
                let text = format!("{HEADER}.entry k() {{\n\t{opcode}{separator}{next}\n");
                let error = error_of(&text);
                let end = text.find(opcode).unwrap() + opcode.len();
                assert_eq!(error.span.start as usize, end, "{opcode} / {next}: {error}");
                assert!(matches!(error.kind, SyntaxErrorKind::MissingSemicolon { .. }), "{error}");
            }
        }
    }
}

/// Where the operands begin on a new line, they are operands.
#[test]
fn operands_may_stand_on_their_own_lines() {
    for (text, printed) in [
        ("call\nf,\n(\nx\n)\n;", "call \tf, (x);"),
        ("call.uni\n(r),\nf,\n(x);", "call.uni \t(r), f, (x);"),
        ("bra\nl;", "bra \tl;"),
        ("mov.b64\n{%r1, %r2}, %rd1;", "mov.b64 \t{%r1, %r2}, %rd1;"),
        ("mov.f32\nv.x, %f1;", "mov.f32 \tv.x, %f1;"),
        ("ld\n.shared\n.u32\n%r1\n,\n[\nx\n+\n4\n]\n;", "ld.shared.u32 \t%r1, [x+4];"),
        ("setp.eq.s32\np|q, a, b;", "setp.eq.s32 \tp|q, a, b;"),
        ("membar\n.gl\n;", "membar.gl;"),
    ] {
        let module = parse("k.ptx", &body(text)).unwrap();
        assert!(print(&module).contains(&format!("\t{printed}\n")), "{}", print(&module));
    }
}

fn error_of(text: &str) -> SyntaxError {
    parse("k.ptx", text).expect_err("too much")
}

fn body(text: &str) -> String {
    format!("{HEADER}.entry k() {{ {text} }}")
}

/// A text that nests `open` this many times.
fn nested(before: &str, open: &str, middle: &str, close: &str, depth: usize) -> String {
    format!("{before}{}{middle}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_nesting_is_refused_wherever_it_is() {
    let init = format!("{HEADER}.global .b32 x[1] = ");
    let operand = format!("{HEADER}.entry k() {{ mov.b32 %r1, ");
    let call = format!("{HEADER}.entry k() {{ call f, ");
    let data = format!("{HEADER}.section .debug_info {{ .b32 ");
    let count = format!("{HEADER}.entry k() {{ .reg .b32 %r<");
    let forms: [(&str, &str, &str, &str); 16] = [
        (&format!("{HEADER}.entry k() "), "{", "", "}"),
        (&init, "{", "1", "}"),
        (&init, "(", "1", ")"),
        (&init, "- ", "1", ""),
        (&init, "~", "1", ""),
        (&init, "(.s64)", "1", ""),
        (&init, "1 ? 1 : ", "1", ""),
        (&init, "1 ? ", "1", " : 1"),
        (&init, "generic(", "x", ")"),
        (&init, "255(", "x", ")"),
        (&operand, "{", "%r2", "}"),
        (&operand, "(", "1", ")"),
        (&operand, "[x, ", "{%r1}", "]"),
        (&operand, "%p|", "%p", ""),
        (&call, "(", "1", ")"),
        (&data, "(", "1", ")"),
    ];
    for (before, open, middle, close) in forms {
        for depth in [limits::DEPTH as usize + 1, 1_000_000] {
            let error = error_of(&nested(before, open, middle, close, depth));
            let expected = match open {
                // Refused for another reason before it is deep.
                "generic(" | "255(" => continue,
                _ => SyntaxErrorKind::TooDeep { limit: limits::DEPTH },
            };
            assert_eq!(error.kind, expected, "{open}");
        }
    }
    let error = error_of(&nested(&count, "(", "1", ")", 1_000_000));
    assert_eq!(error.kind, SyntaxErrorKind::TooDeep { limit: limits::DEPTH });
}

#[test]
fn nesting_as_deep_as_anybody_writes_is_read() {
    let blocks = nested(&format!("{HEADER}.entry k() "), "{", "ret;", "}", 100);
    assert!(parse("k.ptx", &blocks).is_ok());
    let sum = nested(&format!("{HEADER}.global .b32 x = "), "(1+", "1", ")", 60) + ";";
    assert!(print(&parse("k.ptx", &sum).unwrap()).contains("x = 61;"));
}

#[test]
fn huge_counts_are_refused_not_tried() {
    let start = thread_time();
    for (text, count) in [
        (body(".reg .b32 %r<4000000000>;"), 4_000_000_000),
        (body(".reg .b32 %r<18446744073709551615>;"), u64::MAX),
        (body(".reg .b32 %r<1048577>;"), 1_048_577),
        (body(".reg .b32 %r<1000000>; { .reg .b32 %s<1000000>; }"), 2_000_000),
        (body(".param .b32 p<4000000000>;"), 4_000_000_000),
        (format!("{HEADER}.global .b32 g<4000000000>;"), 4_000_000_000),
    ] {
        let limit = limits::REGISTERS;
        assert_eq!(error_of(&text).kind, SyntaxErrorKind::TooManyVariables { count, limit });
    }
    assert!(parse("k.ptx", &body(".reg .b32 %r<1048576>;")).is_ok());
    let spent = thread_time() - start;
    assert!(spent < Duration::from_secs(1), "{spent:?}");
}

#[test]
fn arrays_that_are_too_large_or_overflow_are_refused() {
    for text in [
        format!("{HEADER}.global .b8 a[1099511627777];"),
        format!("{HEADER}.global .b64 a[137438953473];"),
        format!("{HEADER}.global .b8 a[4294967296][4294967296];"),
        format!("{HEADER}.global .b8 a[18446744073709551615][2];"),
        format!("{HEADER}.global .v4 .b64 a[34359738369];"),
        format!("{HEADER}.global .b64 a<1024>[134217729];"),
        format!("{HEADER}.entry k(.param .b64 p[2305843009213693952]) {{ ret; }}"),
        body(".local .b8 a[1099511627777];"),
    ] {
        let limit = limits::VARIABLE_BYTES;
        assert_eq!(error_of(&text).kind, SyntaxErrorKind::VariableTooLarge { limit }, "{text}");
    }
    let allowed = format!("{HEADER}.global .b8 a[1099511627776];");
    assert!(parse("k.ptx", &allowed).is_ok());
    let negative = format!("{HEADER}.global .b8 a[1-2];");
    assert!(matches!(error_of(&negative).kind, SyntaxErrorKind::OutOfRange { value: -1, .. }));
}

/// Megabytes of one long run of something, where a parser could be quadratic.
#[test]
fn long_texts_take_linear_time() {
    let start = thread_time();
    let repeat = |piece: &str| piece.repeat(2_000_000 / piece.len());
    let texts = [
        format!("{HEADER}.entry k() {{ {} }}", repeat("add.s32 %r1, %r2, [x+4];\n")),
        format!(
            "{HEADER}.entry k() {{ {} }}",
            repeat(".loc 1 1 1, function_name f, inlined_at 1 1 1\nret;\n")
        ),
        format!("{HEADER}.global .b8 x[] = {{ {} 1 }};", repeat("1, ")),
        format!("{HEADER}.global .b32 x = {} 1;", repeat("1 + ")),
        format!("{HEADER}{}", repeat("\n \t")),
        format!("{HEADER}{}", repeat("/* */ ")),
    ];
    for text in &texts {
        let module = parse("long.ptx", text).unwrap();
        let _ = warpsim::ptx::SourceMap::of(&module);
        assert!(parse("printed", &print(&module)).unwrap() == module);
    }
    // Errors at the end of one very long line, and of very many short ones.
    for text in [
        format!("{HEADER}.entry k() {{ {}", repeat("ret; ")),
        format!("{HEADER}.entry k() {{ {}", repeat("ret;\n")),
        format!("{HEADER}{}", repeat("\"")),
        format!("{HEADER}{}", repeat("/*")),
        format!("{HEADER}.global .b8 {}", repeat("a")),
        format!("{HEADER}.global .b8 x = {}", repeat("9")),
    ] {
        let error = error_of(&text);
        let drawn = render(&Diagnostic::from(&error), "long.ptx", &text, Colour::Never);
        assert!(drawn.len() < 2_000, "{} bytes of message", drawn.len());
    }
    let spent = thread_time() - start;
    assert!(spent < Duration::from_secs(30), "{spent:?}");
}

/// Offsets are printed as the parser reads them, the lowest and highest too.
#[test]
fn offsets_of_all_signs_print_and_read_again() {
    for offset in [i64::MIN, i32::MIN.into(), -1, 0, 1, i64::MAX] {
        let text = format!(
            "{HEADER}.file 1 \"a.cu\"\n.entry k(.param .u64 a) {{ .reg .u64 %a; .reg .u32 %r;\n\
             .loc 1 1 1, function_name $s+{offset}, inlined_at 1 2 3\n\
             ld.global.u32 %r, [%a+{offset}]; mov.u64 %a, a+{offset}; ret; }}\n"
        );
        read(text.as_bytes());
        read(text.replace("+-", "-").as_bytes());
        let module = parse("k.ptx", &text).expect("an offset");
        let printed = print(&module);
        let sum = if offset == 0 { String::new() } else { format!("+{offset}") };
        assert!(printed.contains(&format!("$s{sum},")), "{printed}");
        assert!(printed.contains(&format!("[%a{sum}]")), "{printed}");
    }
}
