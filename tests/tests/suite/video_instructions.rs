//! Video instructions (PTX ISA 9.7.18) against what the ISA's pseudo code gives: every form, with
//! random selectors, signs and operands.

use warpsim::host::{Device as _, Launch};
use warpsim::isa;
use warpsim_tests::differential::forms::without_braces;
use warpsim_tests::differential::video::Affixes;
use warpsim_tests::differential::{Draw, RegisterForm};
use warpsim_tests::launching::Bench;
use warpsim_tests::video_oracle;

/// Every form, all modifiers spelled out.
fn forms() -> Vec<RegisterForm> {
    let entries = isa::forms().filter(|entry| entry.section.starts_with("9.7.18."));
    let texts = entries.flat_map(|entry| without_braces(&entry.form));
    texts.map(|text| RegisterForm::of(&text).expect("a form of the table")).collect()
}

/// One instruction of each form.
fn instructions(forms: &[RegisterForm], draw: &mut Draw) -> Vec<String> {
    let instruction = |form: &RegisterForm| {
        let affixes = Affixes::any(form, draw);
        let operands: Vec<String> = ["%d", "%a", "%b", "%c"]
            .iter()
            .enumerate()
            .map(|(i, register)| affixes.around(i, register))
            .collect();
        format!("{} {};", form.mnemonic(), operands.join(", "))
    };
    forms.iter().map(instruction).collect()
}

/// A word that is often near an edge of its bytes and halves.
fn word(draw: &mut Draw) -> u32 {
    match draw.below(4) {
        0 => draw.of(&[0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 1 << 31, u32::MAX]),
        1 => (0..4).fold(0, |word, _| word << 8 | draw.of(&[0, 1, 0x7f, 0x80, 0x81, 0xff])),
        2 => (draw.word() as u32) >> draw.below(32),
        _ => draw.word() as u32,
    }
}

const THREADS: usize = 32;

/// A kernel that executes them one after the other on the operands of its thread.
fn kernel(instructions: &[String]) -> String {
    let mut body = String::new();
    for (i, instruction) in instructions.iter().enumerate() {
        let at = i * THREADS * 4;
        body += &format!("  {instruction}\n  st.global.u32 [%out+{at}], %d;\n");
    }
    format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out)\n{{\n  \
         .reg .b32 %a, %b, %c, %d, %t; .reg .b64 %in, %out, %o;\n  \
         ld.param.u64 %in, [in];\n  ld.param.u64 %out, [out];\n  mov.u32 %t, %tid.x;\n  \
         mul.wide.u32 %o, %t, 4;\n  add.u64 %in, %in, %o;\n  add.u64 %out, %out, %o;\n  \
         ld.global.u32 %a, [%in];\n  ld.global.u32 %b, [%in+128];\n  \
         ld.global.u32 %c, [%in+256];\n{body}  ret;\n}}\n"
    )
}

#[test]
fn every_form_gives_what_the_pseudo_code_of_the_isa_does() {
    let forms = forms();
    assert!(forms.len() > 700, "{}", forms.len());
    let mut draw = Draw::new(&[0x0076_6964_656f]);
    for _ in 0..warpsim_effort::cases(12, 400) {
        let instructions = instructions(&forms, &mut draw);
        let mut bench = Bench::of_text("video.ptx", &kernel(&instructions));
        let operands: Vec<u32> = (0..3 * THREADS).map(|_| word(&mut draw)).collect();
        let (input, out) =
            (bench.buffer(&operands), bench.buffer(&vec![0u32; THREADS * instructions.len()]));
        bench.run("k", &Launch::new(1, THREADS as u32), &[input.into(), out.into()]);
        let results = bench.read(out);
        for (instruction, results) in instructions.iter().zip(results.chunks(THREADS)) {
            for (lane, found) in results.iter().enumerate() {
                let [a, b, c] = [0, 1, 2].map(|i| operands[i * THREADS + lane]);
                let right = video_oracle::result(instruction, a, b, c);
                assert_eq!(*found, right, "{instruction} of {a:#x}, {b:#x}, {c:#x}");
            }
        }
    }
}

/// Selectors, signs and operands that the assembler refuses, too.
#[test]
fn what_the_assembler_refuses_is_refused_with_what_there_is() {
    for (instruction, expected) in [
        ("vadd.u32.u32.u32 %d.b1, %a, %b", "d{.dsel}, a{.asel}, b{.bsel} [, c]"),
        ("vadd.u32.u32.u32.add %d.b1, %a, %b, %c", "no selector beside `.add`"),
        ("vadd.u32.u32.u32.add %d, %a, %b", "d{.dsel}, a{.asel}, b{.bsel} [, c]"),
        ("vadd.u32.u32.u32 %d, -%a, %b", "an operand without a sign"),
        ("vadd.u32.u32.u32 %d, %a.b10, %b", "`.b0` to `.b3`, `.h0` or `.h1`"),
        ("vmad.s32.u32.u32 %d, -%a, %b, -%c", "a sign of a factor or of `c`"),
        ("vmad.s32.u32.u32.po %d, -%a, %b, %c", "no sign beside `.po`"),
        ("vmad.s32.u32.u32 %d, %a, %b", "d, {-}a{.asel}, {-}b{.bsel}, {-}c"),
        ("vadd2.u32.u32.u32 %d, %a, %b", "d{.mask}, a{.asel}, b{.bsel}, c"),
        ("vadd2.u32.u32.u32 %d.h01, %a, %b, %c", "`.h` and digits from 1 to 0 in descending"),
        ("vadd2.u32.u32.u32 %d, %a.h0, %b, %c", "`.h` and 2 digits from 0 to 3"),
        ("vadd4.u32.u32.u32 %d, %a, %b.h3210, %c", "`.b` and 4 digits from 0 to 7"),
        ("vadd4.u32.u32.u32 %d, 5, %b, %c", "a register"),
        ("vadd4.u32.u32.u32 %d, %a, %b, %c.b0", "a register without selector"),
    ] {
        let text = kernel(&[format!("{instruction};")]);
        let module = warpsim::ptx::parse("video.ptx", &text).expect("it parses");
        let mut bench = Bench::of_module(module);
        let arguments = [bench.buffer(&[0u32; 96]).into(), bench.buffer(&[0u32; 32]).into()];
        let error = bench.gpu.launch(bench.handle, "k", &Launch::new(1, 32), &arguments);
        let error = error.expect_err(instruction).to_string();
        assert!(error.contains(expected), "{instruction}: {error}");
    }
}
