//! What nvlink does with several modules, by the PTX ISA's words about linkage.

use super::*;
use crate::ptx::{Function, Linkage, Variable, parse, print};

const HEAD: &str = ".version 7.0\n.target sm_70\n.address_size 64\n";

fn linked(texts: &[&str]) -> Result<Module, String> {
    let texts: Vec<String> = texts.iter().map(|text| format!("{HEAD}{text}")).collect();
    let names = ["a.ptx", "b.ptx", "c.ptx"];
    let files: Vec<(&str, &[u8])> =
        names.iter().zip(&texts).map(|(name, text)| (*name, text.as_bytes())).collect();
    let module = link(&files).map_err(|e| e.to_string())?;
    // It prints as a module, and is that again.
    let again = parse("again.ptx", &print(&module)).map_err(|e| e.to_string())?;
    assert_eq!(again.items, module.items);
    Ok(module)
}

fn error(texts: &[&str]) -> String {
    linked(texts).map(|module| print(&module)).expect_err("they do not fit")
}

fn variables(module: &Module) -> Vec<&Variable> {
    let variables = module.items.iter().filter_map(|item| match item {
        Item::Variable(variable) => Some(variable),
        _ => None,
    });
    variables.collect()
}

fn functions(module: &Module) -> Vec<&Function> {
    module.functions().collect()
}

#[test]
fn a_declaration_is_resolved_by_a_later_or_an_earlier_file() {
    let user = ".extern .func (.param .b32 r) f(.param .b32 x);\n.extern .global .u32 g;\n\
                .visible .entry k() { ret; }";
    let owner = ".visible .global .u32 g = 7;\n\
                 .visible .func (.param .b32 r) f(.param .b32 x) { ret; }";
    for texts in [[user, owner], [owner, user]] {
        let module = linked(&texts).unwrap();
        let g = variables(&module);
        assert_eq!((g.len(), g[0].linkage), (1, Some(Linkage::Visible)));
        assert!(g[0].init.is_some());
        let bodies: Vec<&str> =
            functions(&module).iter().filter(|f| f.body.is_some()).map(|f| &*f.name.text).collect();
        assert_eq!(bodies.len(), 2, "{bodies:?}");
        assert!(functions(&module).iter().all(|f| f.linkage == Some(Linkage::Visible)));
    }
}

#[test]
fn what_is_not_shown_belongs_to_its_file() {
    let text = |n: u32| {
        format!(
            ".global .u32 add = {n};\n.func helper() {{ ret; }}\n\
             .visible .entry k{n}() {{ .reg .u64 %a; .reg .u32 %r; mov.u64 %a, add; add.u32 %r, %r, 1; call helper; ret; }}"
        )
    };
    let module = linked(&[&text(1), &text(2), &text(3)]).unwrap();
    let names: Vec<&str> = variables(&module).iter().map(|v| &*v.name.text).collect();
    assert_eq!(names, ["add", "add$2", "add$3"]);
    let printed = print(&module).replace('\t', "");
    // The opcode `add` is no symbol.
    assert_eq!(printed.matches("add.u32").count(), 3, "{printed}");
    assert!(
        printed.contains("mov.u64 %a, add$2;") && printed.contains("call helper$3;"),
        "{printed}"
    );
    // A symbol that another file shows is not this one.
    let module = linked(&[".global .u32 x = 1;", ".visible .global .u32 x = 2;"]).unwrap();
    let names: Vec<&str> = variables(&module).iter().map(|v| &*v.name.text).collect();
    assert_eq!(names, ["x$1", "x"]);
}

#[test]
fn of_weak_definitions_one_that_is_not_is_taken_else_the_first() {
    let weak = |n: u32| format!(".weak .global .u32 w = {n};");
    let strong = ".visible .global .u32 w = 9;";
    let value = |texts: &[&str]| {
        let module = linked(texts).unwrap();
        let found = variables(&module);
        assert_eq!(found.len(), 1);
        print(&module).split("w = ").nth(1).unwrap().trim().trim_end_matches(';').to_owned()
    };
    assert_eq!(value(&[&weak(1), &weak(2)]), "1");
    assert_eq!(value(&[&weak(1), strong, &weak(2)]), "9");
    assert_eq!(value(&[strong, &weak(1)]), "9");
    let body = ".weak .func f() { ret; }";
    let module = linked(&[body, body]).unwrap();
    assert_eq!(functions(&module).iter().filter(|f| f.body.is_some()).count(), 1);
}

#[test]
fn of_common_variables_the_largest_is_taken() {
    let module = linked(&[
        ".common .global .u32 c;",
        ".common .global .u32 c[4];",
        ".extern .global .u32 c[];",
    ]);
    let module = module.unwrap();
    assert_eq!(variables(&module)[0].dims, [Some(4)]);
    let module =
        linked(&[".common .global .u32 c[4];", ".visible .global .u32 c[4] = {1};"]).unwrap();
    assert!(variables(&module)[0].init.is_some());
}

/// Which pairs the linker of an H200's driver (580.159.04) takes, and with which value of the
/// variable.
#[test]
fn variables_are_taken_and_refused_as_by_a_driver() {
    let cases: [(&str, &str, Option<&str>); 20] = [
        (".weak .global .u32 g = 6;", ".common .global .u32 g;", Some("6")),
        (".weak .global .u32 g[2] = {6, 7};", ".common .global .u32 g;", Some("{6, 7}")),
        (".weak .global .u32 g = 6;", ".common .global .u32 g[2];", None),
        (".common .global .u32 g[2];", ".weak .global .u32 g = 6;", None),
        (".common .global .u32 g;", ".visible .global .u32 g[2] = {6, 7};", Some("{6, 7}")),
        (".common .global .u32 g[2];", ".visible .global .u32 g = 6;", None),
        (".visible .global .u32 g = 6;", ".common .global .u32 g[2];", None),
        (".visible .global .u32 g[2] = {6, 7};", ".common .global .u32 g;", Some("{6, 7}")),
        (".extern .global .u32 g;", ".common .global .u32 g[3];", None),
        (".common .global .u32 g[3];", ".extern .global .u32 g;", None),
        (".common .global .u32 g = 3;", ".common .global .u32 g;", Some("3")),
        (".weak .global .u32 g = 1;", ".weak .global .u32 g[4] = {2};", None),
        (".weak .global .u32 g = 1;", ".visible .global .u32 g[4] = {2};", None),
        (".weak .global .u32 g[2] = {6, 7};", ".extern .global .u32 g;", None),
        (".weak .const .u32 g = 6;", ".weak .global .u32 g = 7;", None),
        (".extern .global .u32 g;", ".visible .global .u32 g[2] = {7, 8};", None),
        (".extern .global .f32 g;", ".visible .global .u32 g = 7;", Some("7")),
        (
            ".extern .global .align 4 .b8 g[8];",
            ".visible .global .u32 g[2] = {7, 8};",
            Some("{7, 8}"),
        ),
        (".extern .global .align 16 .u32 g;", ".visible .global .align 4 .u32 g = 7;", Some("7")),
        (".visible .shared .u32 g;", ".visible .shared .u32 g;", None),
    ];
    for (a, b, expected) in cases {
        let found = linked(&[a, b]).ok().map(|module| {
            assert_eq!(variables(&module).len(), 1);
            let printed = print(&module);
            printed.split_once("= ").unwrap().1.trim().trim_end_matches(';').to_owned()
        });
        assert_eq!(found.as_deref(), expected, "{a} and {b}");
    }
}

/// The same of functions that are called.
#[test]
fn functions_are_taken_and_refused_as_by_a_driver() {
    let same = [
        ("b32", "b32"),
        ("u32", "b32"),
        ("s32", "b32"),
        ("s64", "b64"),
        ("f32", "f32"),
        ("f64", "f64"),
    ];
    let different = [
        ("b32", "f32"),
        ("f32", "b32"),
        ("u32", "f32"),
        ("b64", "f64"),
        ("s64", "f64"),
        ("b16", "b32"),
        ("b32", "b64"),
    ];
    let takes = |declared: &str, defined: &str| {
        let user = format!(".extern .func (.param .b32 r) f({declared});\n.entry k() {{ ret; }}");
        linked(&[&user, &format!(".visible .func (.param .b32 r) f({defined}) {{ ret; }}")]).is_ok()
    };
    let scalar = |ty: &str| format!(".param .{ty} x");
    for (a, b) in same {
        assert!(takes(&scalar(a), &scalar(b)), "{a} and {b}");
    }
    for (a, b) in different {
        assert!(!takes(&scalar(a), &scalar(b)), "{a} and {b}");
    }
    let bytes = ".param .align 4 .b8 x[16]";
    assert!(takes(bytes, ".param .align 8 .b8 x[16]"));
    assert!(!takes(bytes, ".param .align 4 .b8 x[8]"));
    assert!(!takes(bytes, ".param .align 4 .b32 x[4]"));
    assert!(!takes(".param .b32 x", ".param .align 4 .b8 x[4]"));
    assert!(!takes(".param .b32 x", ".param .b32 x, .param .b32 y"));
    assert!(!takes(".param .b32 x", ""));
    assert!(takes(".param .b32 other", ".param .b32 x"));
}

#[test]
fn dynamic_shared_memory_is_one_with_the_largest_alignment() {
    let module =
        linked(&[".extern .shared .align 4 .b8 s[];", ".extern .shared .align 16 .b8 s[];"])
            .unwrap();
    let found = variables(&module);
    assert_eq!(
        (found.len(), found[0].align, found[0].linkage),
        (1, Some(16), Some(Linkage::Extern))
    );
}

#[test]
fn what_is_defined_twice_or_differs_is_told_with_both_places() {
    let f = ".visible .func f() { ret; }";
    assert_eq!(error(&[f, f]), "b.ptx:4: `f` is defined twice, first at a.ptx:4");
    let g = "\n.visible .global .u32 g;";
    assert_eq!(error(&["", g, g]), "c.ptx:5: `g` is defined twice, first at b.ptx:5");
    let k = ".visible .entry k() { ret; }";
    assert_eq!(error(&[k, k]), "b.ptx:4: `k` is defined twice, first at a.ptx:4");
    assert_eq!(
        error(&[".extern .global .u64 g;", ".visible .global .u32 g;"]),
        "b.ptx:4: `g` is a .global variable of 4 bytes here, and a .global variable of 8 bytes at a.ptx:4"
    );
    assert_eq!(
        error(&[".extern .const .u32 g;", ".visible .global .u32 g;"]),
        "b.ptx:4: `g` is a .global variable of 4 bytes here, and a .const variable of 4 bytes at a.ptx:4"
    );
    let other = ".visible .func (.param .b64 r) f(.param .b32 x) { ret; }";
    assert_eq!(
        error(&[".extern .func (.param .b32 r) f(.param .b32 x);", other]),
        "b.ptx:4: `f` is a function of the parameters (.b32) and the results (.b64) here, and a \
         function of the parameters (.b32) and the results (.b32) at a.ptx:4"
    );
    assert!(
        error(&[f, ".extern .global .u32 f;"]).contains("is a .global variable of 4 bytes here")
    );
    // An extern array says no size.
    assert!(linked(&[".extern .global .b8 g[];", ".visible .global .b8 g[5];"]).is_ok());
}

#[test]
fn an_error_of_the_language_is_told_with_its_file_and_line() {
    assert_eq!(error(&["", ".entry k() { ret }"]), "b.ptx:4: expected `;`, found `}`");
    assert!(error(&[".entry k() {", ""]).starts_with("a.ptx:4: "));
    let bytes: [(&str, &[u8]); 2] = [("a.ptx", HEAD.as_bytes()), ("b.ptx", b"\n\xff")];
    assert!(link(&bytes).unwrap_err().to_string().starts_with("b.ptx:2: "));
    let other = HEAD.replace("64\n", "32\n");
    let bytes = [("a.ptx", HEAD.as_bytes()), ("b.ptx", other.as_bytes())];
    let error = link(&bytes).unwrap_err().to_string();
    assert_eq!(error, "b.ptx:2: its addresses have 32 bits, and those of the first module 64");
}

#[test]
fn the_target_is_one_that_runs_all() {
    let target = |targets: &[&str]| {
        let texts: Vec<String> = targets.iter().map(|t| HEAD.replace("sm_70", t)).collect();
        let files: Vec<(&str, &[u8])> = texts.iter().map(|t| ("f.ptx", t.as_bytes())).collect();
        let module = link(&files).map_err(|e| e.to_string())?;
        let names: Vec<&str> = module.target.iter().map(|name| &*name.text).collect();
        Ok::<String, String>(names.join(", "))
    };
    assert_eq!(target(&["sm_70", "sm_80, debug", "sm_75"]).unwrap(), "sm_80, debug");
    assert_eq!(target(&["sm_90", "sm_90a"]).unwrap(), "sm_90a");
    assert!(target(&["sm_100", "sm_90a"]).unwrap_err().contains("no GPU runs both"));
    assert!(target(&["sm_90a", "sm_100"]).unwrap_err().contains("no GPU runs both"));
}

#[test]
fn lines_and_source_files_stay_those_of_their_file() {
    let text = |name: &str, line: u32| {
        format!(".file 1 \"{name}.cu\"\n.visible .entry {name}() {{\n.loc 1 {line} 1\nret; }}\n")
    };
    let module = linked(&[&text("first", 7), &text("second", 8)]).unwrap();
    let map = crate::ptx::SourceMap::of(&module);
    let place = |id| {
        let position = map.position(crate::ptx::InstId(id)).unwrap();
        (position.file.to_string(), position.line, map.ptx_line(crate::ptx::InstId(id)))
    };
    assert_eq!(place(0), ("first.cu".to_owned(), 7, Some(7)));
    assert_eq!(place(1), ("second.cu".to_owned(), 8, Some(7)));
    let body = functions(&module)[1].body.clone().unwrap();
    assert_eq!(&**module.source.file_name(body.span.start), "b.ptx");
    assert_eq!(module.source.line(body.span.start), 5);
}

#[test]
fn what_the_device_runtime_defines_is_linked_where_it_is_declared() {
    let user = ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 h, .param .b32 f);\n\
                .visible .entry k() { ret; }";
    let bodies = |module: &Module| {
        let defined = functions(module).into_iter().filter(|f| f.body.is_some() && !f.is_entry);
        defined.map(|f| f.name.text.to_string()).collect::<Vec<String>>()
    };
    let module = linked(&[user]).unwrap();
    assert_eq!(bodies(&module), super::BROUGHT);
    assert!(!needs_toolchain(&module));
    let own =
        ".visible .func (.param .b32 r) cudaCGSynchronize(.param .b64 h, .param .b32 f) { ret; }";
    assert_eq!(bodies(&linked(&[user, own]).unwrap()).len(), 1, "nothing is missing");
}

#[test]
fn variables_stand_before_those_that_are_initialised_with_them() {
    let user = ".extern .global .u64 table[2];\n.visible .entry k() { ret; }";
    let owner = ".global .u32 first = 1;\n.visible .func f() { ret; }\n\
                 .visible .global .u64 table[2] = {first, f};";
    let module = linked(&[user, owner]).unwrap();
    let names: Vec<&str> = variables(&module).iter().map(|v| &*v.name.text).collect();
    assert_eq!(names, ["first", "table"]);
    assert!(functions(&module)[0].body.is_none(), "a prototype of `f`");
}
