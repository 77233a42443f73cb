//! A library does not panic: what cannot happen ends in an internal error, or has its reason beside
//! it. The lints of the workspace refuse `unwrap`, `expect`, `panic!` and their like, unless
//! somebody lets one pass. They know nothing of assertions. This looks at all of them.
//!
//! Sources are read as text, without the contents of strings and comments and without code for
//! tests. An assertion of a constant stops the compiler and not the program, so it does not count.
//! A function of our own that is called `expect` differs from the one of `Option` in its arguments:
//! no text, or more than one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::layout::{CRATES, read, root, sources};

/// What ends in a panic, as it is called.
const CALLS: [&str; 9] = [
    ".unwrap()",
    ".expect(",
    "panic!(",
    "unreachable!(",
    "todo!(",
    "unimplemented!(",
    "assert!(",
    "assert_eq!(",
    "assert_ne!(",
];

/// The calls whose text says why they never happen.
const WITH_REASONS: [&str; 5] =
    [".expect(", "unreachable!(", "assert!(", "assert_eq!(", "assert_ne!("];

/// How many lines above a place its reason may be.
const ABOVE: usize = 3;

/// A place that may panic.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    /// From 1.
    line: usize,
    call: &'static str,
    has_reason: bool,
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Blanks in place of letters; lines stay lines.
fn blank(text: &str) -> String {
    text.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }).collect()
}

/// The length of a string that begins at a quote.
fn string(text: &str) -> usize {
    let mut is_escaped = true;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a raw string's rest, which begins behind its `r`; `None` where none does.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let inside = text[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", &text[..hashes]);
    let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
    Some(hashes + 1 + length)
}

/// The length of a letter in quotes; of a lifetime its quote alone.
fn letter(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match (letters.next(), letters.next()) {
        // The escaped character may be a quote.
        (Some((_, '\\')), Some((at, escaped))) => {
            let behind = at + escaped.len_utf8();
            text[behind..].find('\'').map_or(text.len(), |end| behind + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        (_, _) => 1,
    }
}

/// A source without what its strings and comments say. Quotes stay, and so do the two slashes of a
/// comment, except in documentation.
fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len());
        let length = match first {
            '/' if rest.starts_with("//") => {
                let length = rest.find('\n').unwrap_or(rest.len());
                let is_documentation = rest.starts_with("///") || rest.starts_with("//!");
                bare += if is_documentation { "  " } else { "//" };
                bare += &blank(&rest[2..length]);
                length
            }
            '/' if rest.starts_with("/*") => {
                let length = rest.find("*/").map_or(rest.len(), |at| at + 2);
                bare += &blank(&rest[..length]);
                length
            }
            '"' => {
                let length = string(rest);
                bare += &format!("\"{}\"", blank(&rest[1..length.max(2) - 1]));
                length
            }
            '\'' => {
                let length = letter(rest);
                bare += &blank(&rest[..length]);
                length
            }
            _ if matches!(&rest[..word], "r" | "br" | "cr") => match raw_string(&rest[word..]) {
                Some(length) => {
                    bare += &format!("\"{}\"", blank(&rest[word..word + length]));
                    word + length
                }
                None => {
                    bare += &rest[..word];
                    word
                }
            },
            _ => {
                let length = word.max(first.len_utf8());
                bare += &rest[..length];
                length
            }
        };
        rest = &rest[length..];
    }
    bare
}

/// The length of an item with its attributes, at which a text begins: up to its braces' end, or to
/// its semicolon.
fn item(text: &str) -> usize {
    let mut depth = 0_i32;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return at,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(letter, '}' | ';') {
            return at + 1;
        }
    }
    text.len()
}

/// A bare source without code for tests, and the modules for tests that have files.
fn without_tests(bare: &str) -> (String, Vec<String>) {
    let (mut code, mut modules) = (bare.to_owned(), Vec::new());
    for mark in ["#[cfg(test)]", "#[cfg(all(test", "#[test]"] {
        while let Some(at) = code.find(mark) {
            let end = at + item(&code[at..]);
            let named = code[at..end].strip_suffix(';').and_then(|of| of.rsplit_once("mod "));
            modules.extend(named.map(|(_, name)| name.trim().to_owned()));
            let blank = blank(&code[at..end]);
            code.replace_range(at..end, &blank);
        }
    }
    (code, modules)
}

/// The text between the parentheses of a call. `text` begins behind the first one.
fn arguments(text: &str) -> &str {
    let mut depth = 0_i32;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return &text[..at],
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Whether the argument of `expect` is one text, as for `Option` and `Result`.
fn is_one_text(arguments: &str) -> bool {
    let mut depth = 0_i32;
    let is_comma = |letter: char| {
        depth += match letter {
            '(' | '[' | '{' => 1,
            ')' | ']' | '}' => -1,
            _ => 0,
        };
        depth == 0 && letter == ','
    };
    let given = arguments.trim().trim_end_matches(',');
    given.starts_with(['"', '&']) && !given.chars().any(is_comma)
}

/// Whether an assertion on this line, from 0, is one of a constant. A constant function may run.
fn is_of_constant(lines: &[&str], line: usize) -> bool {
    let is_const = |line: &str| {
        line.split_whitespace().any(|word| word == "const") && !line.contains("const fn")
    };
    let above = line.checked_sub(1).map_or("", |above| lines[above]);
    is_const(lines[line]) || is_const(above) && above.trim_end().ends_with(['=', '{'])
}

/// The places of a bare source that may panic.
fn places(code: &str) -> Vec<Place> {
    let lines: Vec<&str> = code.lines().collect();
    let mut places = Vec::new();
    for call in CALLS {
        for (at, _) in code.match_indices(call) {
            let before = &code[..at];
            // `debug_assert!` is another macro, and gone from released code.
            if !call.starts_with('.') && before.ends_with(is_of_word) {
                continue;
            }
            let line = before.matches('\n').count();
            let arguments = arguments(&code[at + call.len()..]);
            let is_own = call == ".expect(" && !is_one_text(arguments);
            if is_own || call.starts_with("assert") && is_of_constant(&lines, line) {
                continue;
            }
            let is_told = WITH_REASONS.contains(&call) && arguments.contains('"');
            let beside = &lines[line.saturating_sub(ABOVE)..=line];
            let has_reason = is_told || beside.iter().any(|line| line.contains("//"));
            places.push(Place { line: line + 1, call, has_reason });
        }
    }
    places.sort_by_key(|place| place.line);
    places
}

/// The folder of the modules that a file declares.
fn folder_of_modules(file: &Path) -> PathBuf {
    let is_of_folder = |name: &str| matches!(name, "mod" | "lib" | "main");
    match file.file_stem().and_then(|stem| stem.to_str()) {
        Some(name) if is_of_folder(name) => file.with_file_name(""),
        Some(_) | None => file.with_extension(""),
    }
}

/// The sources of all libraries and of the command, bare and without tests.
fn all_code() -> Vec<(PathBuf, String)> {
    let (mut all, mut of_tests) = (Vec::new(), BTreeSet::new());
    for (_, folder) in CRATES.iter().filter(|(_, folder)| !folder.starts_with("tests")) {
        for file in sources(&root().join(folder).join("src")) {
            if file.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let (code, modules) = without_tests(&bare(&read(&file)));
            let beside = folder_of_modules(&file);
            of_tests.extend(modules.iter().map(|name| beside.join(name)));
            all.push((file, code));
        }
    }
    let is_of_test = |file: &Path| {
        of_tests.contains(&file.with_extension(""))
            || file.ancestors().skip(1).any(|folder| of_tests.contains(folder))
    };
    all.retain(|(file, _)| !is_of_test(file));
    all
}

#[test]
fn every_place_that_may_panic_has_its_reason_beside_it() {
    let all = all_code();
    assert!(all.len() > 700, "only {} sources were found", all.len());
    let (mut count, mut bare) = (0, Vec::new());
    for (file, code) in &all {
        let file = file.strip_prefix(root()).unwrap().display();
        for place in places(code) {
            count += 1;
            println!("{file}:{}: {}", place.line, place.call);
            if !place.has_reason {
                bare.push(format!("{file}:{}: {}", place.line, place.call));
            }
        }
    }
    println!("{count} places may panic");
    assert!(count > 0, "none was found: is there still a way in which they are written?");
    assert!(bare.is_empty(), "give an error, or say why it cannot happen:\n{}", bare.join("\n"));
}

#[test]
fn a_place_without_a_reason_is_found_and_one_with_a_reason_is_let_pass() {
    let found = |source: &str| {
        let (code, _) = without_tests(&bare(source));
        let places = places(&code).into_iter();
        places.map(|place| (place.line, place.call, place.has_reason)).collect::<Vec<_>>()
    };
    let function = |body: &str| format!("fn f(x: Option<u8>) -> u8 {{\n{body}\n}}\n");
    assert_eq!(found(&function("    x.unwrap()")), [(2, ".unwrap()", false)]);
    let beside = "    x.unwrap() // `g` has given it.";
    assert_eq!(found(&function(beside)), [(2, ".unwrap()", true)]);
    let above = "    // `g` has given it.\n    let y = 1;\n\n    x.unwrap()";
    assert_eq!(found(&function(above)), [(5, ".unwrap()", true)]);
    let too_far = "    // `g` has given it.\n    let y = 1;\n    let z = 2;\n\n    x.unwrap()";
    assert_eq!(found(&function(too_far)), [(6, ".unwrap()", false)]);
    // Documentation gives no reason, and a text may; one of `panic!` says what happened.
    let documented = "/// Gives it.\nfn f(x: Option<u8>) -> u8 { x.unwrap() }";
    assert_eq!(found(documented), [(2, ".unwrap()", false)]);
    assert_eq!(found(&function("    x.expect(\"`g` has given it\")")), [(2, ".expect(", true)]);
    assert_eq!(found(&function("    panic!(\"no x\")")), [(2, "panic!(", false)]);
    assert_eq!(found(&function("    assert!(x.is_some());")), [(2, "assert!(", false)]);
    assert_eq!(found(&function("    assert!(x == y, \"of `g`\");")), [(2, "assert!(", true)]);
}

#[test]
fn what_cannot_panic_while_it_runs_is_none_of_these_places() {
    let sources = [
        // What strings and comments say, also where quotes are escaped or are letters.
        "let text = \"x.unwrap()\"; /* x.unwrap() */ // x.unwrap()",
        "let text = r#\"a \" x.unwrap()\"#; let c = '\"'; let d = '\\''; let e = \"\\\"panic!()\";",
        "fn f<'a>(x: &'a str) -> &'a str { x.trim_end_matches('\"') } // panic!()",
        // Items that exist only for tests.
        "#[cfg(test)]\nmod tests {\n    fn f() { x.unwrap(); }\n}",
        "#[cfg(test)]\n#[derive(Debug)]\nfn f<A, B>(x: [u8; 3]) { x.unwrap() }",
        "#[cfg(all(test, unix))]\nmod tests { fn f() { x.unwrap() } }",
        "struct S {\n    #[cfg(test)]\n    a: u8,\n}",
        // What the compiler looks at.
        "const _: () = assert!(SIZE == 4);\nconst _: () =\n    assert!(SIZE == 8);",
        "fn f() { const { assert!(N > 1) }; debug_assert!(x); }",
        // Functions of our own.
        "let start = self.expect(\"{\", \"`{`\")?; object.expect(bytes)?; object.expect(-bytes)?;",
    ];
    for source in sources {
        assert_eq!(places(&without_tests(&bare(source)).0), [], "{source}");
    }
    let (_, modules) = without_tests("#[cfg(test)]\npub(crate) mod words;\nmod others;\n");
    assert_eq!(modules, ["words"]);
    assert_eq!(folder_of_modules(Path::new("a/mod.rs")).join("b"), Path::new("a/b"));
    assert_eq!(folder_of_modules(Path::new("a/b.rs")).join("c"), Path::new("a/b/c"));
}
