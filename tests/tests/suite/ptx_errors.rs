//! What a person reads when a text is not PTX: the message, the line, the column, what to do.

use warpsim::diagnostics::{Colour, Diagnostic, render};
use warpsim::ptx::{parse, parse_bytes};

/// The message for a text.
fn message(text: &str) -> String {
    let error = parse("k.ptx", text).expect_err("this is not PTX");
    render(&Diagnostic::from(&error), "k.ptx", text, Colour::Never)
}

#[test]
fn a_missing_semicolon_before_the_next_line() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tmov.u32 \t%r1, %r2\n\tadd.s32 \t%r1, %r1, 1;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected `;` or `,`, found `add`
     --> k.ptx:6:19
      |
    6 |     mov.u32     %r1, %r2
      |                         ^ missing here
    "#);
}

#[test]
fn a_missing_semicolon_after_an_instruction_without_operands() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tmembar.gl\n\tst.u32 \t[%rd1], %r1;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected `;`, found `st`
     --> k.ptx:6:11
      |
    6 |     membar.gl
      |              ^ `;` is missing here
    "#);
}

#[test]
fn a_missing_semicolon_before_a_guard() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tsetp.eq.s32 \t%p1, %r1, 0 // done?\n\t@%p1 bra \tl;\nl:\n\tret;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected `;` or `,`, found `@`
     --> k.ptx:6:26
      |
    6 |     setp.eq.s32     %p1, %r1, 0 // done?
      |                                ^ missing here
    "#);
}

#[test]
fn a_missing_semicolon_before_a_directive() {
    let text =
        ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tret\n\t.loc 1 2 3\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected `;`, found `.loc`
     --> k.ptx:6:5
      |
    6 |     ret
      |        ^ `;` is missing here
    "#);
}

#[test]
fn a_missing_semicolon_after_a_declaration() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\t.reg .b32 \t%r<4>\n\t.reg .b64 \t%rd<4>;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected `;` or `,`, found `.reg`
     --> k.ptx:6:18
      |
    6 |     .reg .b32     %r<4>
      |                        ^ missing here
    "#);
}

#[test]
fn a_missing_comma() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tadd.s32 \t%r1, %r2 %r3;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected `;` or `,`, found `%r3`
     --> k.ptx:6:19
      |
    6 |     add.s32     %r1, %r2 %r3;
      |                         ^ missing here
    "#);
}

#[test]
fn a_text_that_ends_in_a_body() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tmov.u32 \t%r1, ";
    insta::assert_snapshot!(message(text), @r#"
    error: unexpected end of file, expected an operand
     --> k.ptx:6:16
      |
    6 |     mov.u32     %r1, 
      |                      ^
    "#);
}

#[test]
fn a_text_that_ends_before_the_brace() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tret;\n";
    insta::assert_snapshot!(message(text), @r#"
    error: unexpected end of file, expected an instruction, a directive, a label or `}`
     --> k.ptx:7:1
      |
    7 |
      | ^
    "#);
}

#[test]
fn an_empty_text() {
    let text = "";
    insta::assert_snapshot!(message(text), @r#"
    error: unexpected end of file, expected `.version`
     --> k.ptx:1:1
      |
    1 |
      | ^
      |
      = help: a PTX module begins with `.version MAJOR.MINOR` and `.target sm_NN`
    "#);
}

#[test]
fn a_text_without_a_header() {
    let text = ".entry k() { ret; }\n";
    insta::assert_snapshot!(message(text), @r#"
    error: the module has no `.version`: found `.entry`
     --> k.ptx:1:1
      |
    1 | .entry k() { ret; }
      | ^^^^^^
      |
      = help: a PTX module begins with `.version MAJOR.MINOR` and `.target sm_NN`
    "#);
}

#[test]
fn a_text_without_a_target() {
    let text = ".version 8.5\n.entry k() { ret; }\n";
    insta::assert_snapshot!(message(text), @r#"
    error: the module has no `.target`: found `.entry`
     --> k.ptx:2:1
      |
    2 | .entry k() { ret; }
      | ^^^^^^
      |
      = help: a PTX module begins with `.version MAJOR.MINOR` and `.target sm_NN`
    "#);
}

#[test]
fn another_version() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.version 8.5\n";
    insta::assert_snapshot!(message(text), @r#"
    error: a module has only one `.version`, and this is another
     --> k.ptx:4:1
      |
    4 | .version 8.5
      | ^^^^^^^^
    "#);
}

#[test]
fn a_file_of_something_else() {
    let text = "#include <stdio.h>\nint main() { return 0; }\n";
    insta::assert_snapshot!(message(text), @r#"
    error: the module has no `.version`: found `int`
     --> k.ptx:2:1
      |
    2 | int main() { return 0; }
      | ^^^
      |
      = help: a PTX module begins with `.version MAJOR.MINOR` and `.target sm_NN`
    "#);
}

#[test]
fn an_unknown_directive_at_module_scope() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.globl k\n";
    insta::assert_snapshot!(message(text), @r#"
    error: unknown directive `.globl` at module scope
     --> k.ptx:4:1
      |
    4 | .globl k
      | ^^^^^^
      |
      = help: module scope can contain .entry, .func, variables (.global, .const, .shared, ...), .file, .section, .pragma and .alias
    "#);
}

#[test]
fn an_unknown_directive_in_a_body() {
    let text =
        ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\t.register .b32 %r1;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: unknown directive `.register` in a body
     --> k.ptx:6:2
      |
    6 |     .register .b32 %r1;
      |     ^^^^^^^^^
      |
      = help: a body can contain .reg, .shared, .local, .param, .loc, .pragma and, after a label, .branchtargets, .calltargets and .callprototype
    "#);
}

#[test]
fn an_unknown_directive_of_a_function() {
    let text =
        ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n.maxthreads 256\n{ ret; }\n";
    insta::assert_snapshot!(message(text), @r#"
    error: unknown directive `.maxthreads` of a function
     --> k.ptx:5:1
      |
    5 | .maxthreads 256
      | ^^^^^^^^^^^
      |
      = help: between its parameters and its body, a function can have .maxnreg, .maxntid, .reqntid, .minnctapersm, .noreturn, .pragma and the like
    "#);
}

#[test]
fn an_unknown_type() {
    let text =
        ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\t.reg .i32 %r1;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected a type such as `.b32`, found `.i32`
     --> k.ptx:6:7
      |
    6 |     .reg .i32 %r1;
      |          ^^^^
    "#);
}

#[test]
fn a_count_of_four_billion() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\t.reg .b32 \t%r<4000000000>;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: 4000000000 variables are more than the limit of 1048576
     --> k.ptx:6:16
      |
    6 |     .reg .b32     %r<4000000000>;
      |                      ^^^^^^^^^^
    "#);
}

#[test]
fn an_array_too_large() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.global .b64 a[1099511627776];\n";
    insta::assert_snapshot!(message(text), @r#"
    error: this variable is larger than the limit of 1099511627776 bytes
     --> k.ptx:4:1
      |
    4 | .global .b64 a[1099511627776];
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn an_alignment_of_three() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.global .align 3 .b32 a;\n";
    insta::assert_snapshot!(message(text), @r#"
    error: an alignment is a power of two of at most 2^30, not 3
     --> k.ptx:4:16
      |
    4 | .global .align 3 .b32 a;
      |                ^
    "#);
}

#[test]
fn an_octal_number_with_an_eight() {
    let text =
        ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tmov.u32 \t%r1, 08;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: `08` is not a number: after a leading 0 come octal digits
     --> k.ptx:6:16
      |
    6 |     mov.u32     %r1, 08;
      |                      ^^
    "#);
}

#[test]
fn a_float_with_too_few_digits() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tmov.f32 \t%f1, 0f3F80;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: `0f3F80` is not a number: `0f` takes 8 hexadecimal digits
     --> k.ptx:6:16
      |
    6 |     mov.f32     %f1, 0f3F80;
      |                      ^^^^^^
    "#);
}

#[test]
fn an_integer_of_65_bits() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tmov.u64 \t%rd1, 0x1FFFFFFFFFFFFFFFF;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: `0x1FFFFFFFFFFFFFFFF` does not fit into 64 bits
     --> k.ptx:6:17
      |
    6 |     mov.u64     %rd1, 0x1FFFFFFFFFFFFFFFF;
      |                       ^^^^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn a_division_by_zero() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.global .b32 a = 4 / (2 - 2);\n";
    insta::assert_snapshot!(message(text), @r#"
    error: division by zero in a constant expression
     --> k.ptx:4:20
      |
    4 | .global .b32 a = 4 / (2 - 2);
      |                    ^
    "#);
}

#[test]
fn a_product_of_a_symbol() {
    let text =
        ".version 8.5\n.target sm_80\n.address_size 64\n.global .b32 a;\n.global .b64 b = a * 2;\n";
    insta::assert_snapshot!(message(text), @r#"
    error: the operator `*` does not take a symbol
     --> k.ptx:5:20
      |
    5 | .global .b64 b = a * 2;
      |                    ^
      |
      = help: a symbol takes only `+ N`
    "#);
}

#[test]
fn a_comment_without_an_end() {
    let text =
        ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tret; /* and so on\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: this comment never ends
     --> k.ptx:6:7
      |
    6 |     ret; /* and so on
      |          ^^ it begins here
      |
      = help: close it with `*/`; comments do not nest
    "#);
}

#[test]
fn a_string_without_an_end() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.file 1 \"k.cu\n";
    insta::assert_snapshot!(message(text), @r#"
    error: this string does not end on its line
     --> k.ptx:4:9
      |
    4 | .file 1 "k.cu
      |         ^^^^^ it begins here
    "#);
}

#[test]
fn a_character_of_no_token() {
    let text =
        ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tmov.u32 \t%r1, `5;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: unexpected character ```
     --> k.ptx:6:16
      |
    6 |     mov.u32     %r1, `5;
      |                      ^ here
    "#);
}

#[test]
fn a_subscript_in_two_dimensions() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tld.shared.u32 \t%r1, data[4][1];\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: a subscript in several dimensions is not supported
     --> k.ptx:6:29
      |
    6 |     ld.shared.u32     %r1, data[4][1];
      |                                   ^
      |
      = help: write the address as `NAME+BYTES`
    "#);
}

#[test]
fn an_address_without_its_bracket() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tld.shared.u32 \t%r1, [%rd1+4;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected `]`, `+` or `,`, found `;`
     --> k.ptx:6:29
      |
    6 |     ld.shared.u32     %r1, [%rd1+4;
      |                                   ^
    "#);
}

#[test]
fn a_vector_without_its_brace() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tld.v2.u32 \t{%r1, %r2, [%rd1];\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected `,` or `}`, found `;`
     --> k.ptx:6:30
      |
    6 |     ld.v2.u32     {%r1, %r2, [%rd1];
      |                                    ^
    "#);
}

#[test]
fn a_parameter_without_a_space() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k(.u64 p)\n{\n\tret;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected `.param` or `.reg`, found `.u64`
     --> k.ptx:4:10
      |
    4 | .entry k(.u64 p)
      |          ^^^^
    "#);
}

#[test]
fn a_guard_without_a_register() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\t@!; bra \tl;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected a predicate register, found `;`
     --> k.ptx:6:4
      |
    6 |     @!; bra     l;
      |       ^
    "#);
}

#[test]
fn an_unbalanced_brace() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tret;\n}\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected a directive such as `.visible` or `.global`, found `}`
     --> k.ptx:8:1
      |
    8 | }
      | ^
    "#);
}

#[test]
fn a_place_in_a_line_of_tabs_and_wide_characters() {
    let text = ".version 8.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\tmov.u32 \t%r1, /* 一二三 */ ?;\n}\n";
    insta::assert_snapshot!(message(text), @r#"
    error: expected an operand, found `?`
     --> k.ptx:6:26
      |
    6 |     mov.u32     %r1, /* 一二三 */ ?;
      |                                   ^
    "#);
}

#[test]
fn a_byte_that_is_not_text_is_an_error_at_its_place() {
    let bytes = b".version 8.5\n.target sm_80\n// \xe9t\xe9\n";
    let error = parse_bytes("k.ptx", bytes).expect_err("Latin-1");
    assert_eq!(error.to_string(), "the byte 0xe9 is not UTF-8 text");
    // After 13 + 14 bytes of header and `// `.
    assert_eq!((error.span.start, error.span.end), (30, 31));
    let text = String::from_utf8_lossy(bytes);
    let drawn = render(&Diagnostic::from(&error), "k.ptx", &text, Colour::Never);
    assert!(drawn.contains("k.ptx:3:4"), "{drawn}");
}
