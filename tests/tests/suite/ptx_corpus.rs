//! Every file of the corpus parses, prints, and parses to the same tree; nothing of it is lost, and
//! blanks and comments do not matter.
//!
//! `WARPSIM_CORPUS=FOLDER` adds a folder of PTX of your own. A small tokeniser of the test itself
//! finds lost or changed text, not the lexer under test.

use std::path::{Path, PathBuf};

use warpsim::ptx::{Function, Item, SourceMap, Statement, parse, print};

/// What compilers wrote, with its texts.
fn corpus() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")];
    folders.extend(std::env::var_os("WARPSIM_CORPUS").map(PathBuf::from));
    let files = files_below(folders);
    assert!(files.len() >= 70, "only {} files", files.len());
    files
}

/// What compilers wrote, and forms that they rarely write.
fn everything() -> Vec<(PathBuf, String)> {
    let mut files = files_below(vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("ptx")]);
    assert!(files.len() >= 3, "only {} files of forms", files.len());
    files.extend(corpus());
    files
}

/// All PTX files below some folders, in order.
fn files_below(mut folders: Vec<PathBuf>) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    files.sort();
    files
}

/// A piece of text: a token, or what separates tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Piece<'a> {
    Blank(&'a str),
    Token(&'a str),
}

/// Cuts a text into pieces: texts between quotes, runs of word characters (with a dot before them,
/// `::` between them, or a dot between digits), signs of one or two characters.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = |from: usize| rest[from..].find(|c| !word(c)).map_or(rest.len(), |n| from + n);
        let (blank, length) = if rest.starts_with("//") {
            (true, rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (true, rest.find("*/").unwrap() + 2)
        } else if first.is_whitespace() {
            (true, rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()))
        } else if first == '"' {
            (false, rest[1..].find('"').unwrap() + 2)
        } else if word(first) || first == '.' {
            let mut end = run(1);
            while rest[end..].starts_with("::") {
                end = run(end + 2);
            }
            if first.is_ascii_digit() && rest[end..].starts_with('.') {
                end = run(end + 1);
            }
            (false, end)
        } else {
            let double = ["<<", ">>", "<=", ">=", "==", "!=", "&&", "||"];
            (false, if double.iter().any(|sign| rest.starts_with(sign)) { 2 } else { 1 })
        };
        let (piece, after) = rest.split_at(length);
        pieces.push(if blank { Piece::Blank(piece) } else { Piece::Token(piece) });
        rest = after;
    }
    pieces
}

/// The tokens of a text, without the few that say nothing: `+0` in an address, and an empty `()`.
/// The constant `WARP_SZ` counts as what it is.
fn meaning(text: &str) -> Vec<String> {
    let tokens = pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Token(token) => Some(token),
        Piece::Blank(_) => None,
    });
    let mut meaning: Vec<String> = Vec::new();
    for token in tokens {
        // Exact floating-point literals are printed in upper case.
        let exact = token.starts_with("0f") || token.starts_with("0d");
        meaning.push(match token {
            _ if exact => token[2..].to_uppercase(),
            "WARP_SZ" => "32".to_owned(),
            token => token.to_owned(),
        });
        if meaning.ends_with(&["+".into(), "0".into(), "]".into()]) {
            meaning.truncate(meaning.len() - 3);
            meaning.push("]".into());
        }
        if meaning.ends_with(&["(".into(), ")".into()]) {
            meaning.truncate(meaning.len() - 2);
        }
    }
    meaning
}

#[test]
fn every_file_parses_prints_and_parses_to_the_same_tree() {
    for (path, text) in everything() {
        let module = parse("original", &text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let printed = print(&module);
        let again = parse("printed", &printed)
            .unwrap_or_else(|e| panic!("{} as printed: {e}", path.display()));
        assert!(module == again, "{}: another tree", path.display());
        assert_eq!(printed, print(&again), "{}: no fixed point", path.display());
    }
}

#[test]
fn nothing_of_a_file_is_lost_or_changed() {
    for (path, text) in corpus() {
        let printed = print(&parse("original", &text).unwrap());
        let (before, after) = (meaning(&text), meaning(&printed));
        let differs = before.iter().zip(&after).position(|(a, b)| a != b);
        if let Some(at) = differs {
            let end = (at + 5).min(before.len()).min(after.len());
            panic!("{}: {:?} became {:?}", path.display(), &before[at..end], &after[at..end]);
        }
        assert_eq!(before.len(), after.len(), "{}", path.display());
    }
}

/// Numbers without a pattern that matters here (Knuth's MMIX generator).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }
}

/// The text with other blanks and comments between its tokens.
fn with_noise(text: &str, random: &mut Random) -> String {
    let noise = [" ", "\n", "\t\t", "\r\n", " /* ; } */ ", "// ret; {\n", "\n\n  ", "/**/"];
    let mut out = String::new();
    let mut previous = "";
    let pieces = pieces(text);
    for (i, piece) in pieces.iter().enumerate() {
        let Piece::Token(token) = piece else { continue };
        let separated = i > 0 && matches!(pieces[i - 1], Piece::Blank(_));
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
        // `.loc 1 2 3 .loc` and `mov.u32 %r1` need what separates them.
        let needed = previous.ends_with(word)
            && (token.starts_with(word)
                || (token.starts_with('.') && previous.starts_with(|c: char| c.is_ascii_digit())));
        if previous == "/" {
            // Else a comment after it would begin too early.
            out.push(' ');
        }
        match random.below(4) {
            0 | 1 => out.push_str(noise[random.below(noise.len())]),
            2 if separated && needed => out.push(' '),
            2 => {}
            _ if separated => out.push(' '),
            _ => {}
        }
        out.push_str(token);
        previous = token;
    }
    out
}

#[test]
fn blanks_and_comments_change_nothing() {
    let mut random = Random(1);
    for (path, text) in everything() {
        let noisy = with_noise(&text, &mut random);
        assert_ne!(noisy, text);
        let module = parse("noisy", &noisy).unwrap_or_else(|e| {
            let start = e.span.start as usize;
            let near = &noisy[start.saturating_sub(60)..(start + 20).min(noisy.len())];
            panic!("{} with noise: {e} near {near:?}", path.display())
        });
        assert_eq!(print(&module), print(&parse("original", &text).unwrap()), "{}", path.display());
    }
}

#[test]
fn instructions_are_numbered_in_the_order_of_the_text() {
    for (path, text) in everything() {
        let module = parse("original", &text).unwrap();
        let instructions = module.functions().flat_map(Function::instructions);
        let ids: Vec<u32> = instructions.map(|instruction| instruction.id.0).collect();
        assert_eq!(ids, (0..module.next_inst).collect::<Vec<u32>>(), "{}", path.display());
    }
}

/// The first store of `scan_plain_guarded` is on line 26 of the source. The code behind it, up to
/// the next store of the kernel, was inlined from the function that line 27 calls.
#[test]
fn an_inlined_scan_names_the_line_that_calls_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let file = path.join("nvrtc13-sm80-O3/k01_scan_plain.ptx");
    let module = parse("k01", &std::fs::read_to_string(file).unwrap()).unwrap();
    let map = SourceMap::of(&module);
    let kernel = module.items.iter().find_map(|item| match item {
        Item::Function(f) if &*f.name.text == "scan_plain_guarded" => f.body.as_ref(),
        _ => None,
    });
    let lines = kernel.unwrap().statements.iter().filter_map(|statement| match statement {
        Statement::Instruction(i) if matches!(&*i.opcode.text, "ld" | "st") => {
            let shared = i.modifiers.iter().any(|m| &*m.text == "shared");
            let position = map.position(i.id).unwrap();
            let calls: Vec<u32> = position.inlined_at.iter().map(|call| call.line).collect();
            shared.then_some((position.line, calls))
        }
        _ => None,
    });
    let mut lines: Vec<(u32, Vec<u32>)> = lines.collect();
    lines.dedup();
    // `data[i] = in[i]` is line 26; lines 3 to 7 are the steps, inlined by the call in line 27;
    // `out[i] = data[i]` is line 28.
    let inlined = |line| (line, vec![27]);
    let mut expected = vec![(26, vec![])];
    expected.extend((3..=7).map(inlined));
    assert_eq!(lines, expected);
}
