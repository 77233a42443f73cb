//! Prose wraps at 100 columns: the comments of Rust sources, and the pages.
//!
//! Tables, code and headings are as wide as they are. A code span or the address of a link does not
//! break, so it does not count.

use std::path::{Path, PathBuf};

const COLUMNS: usize = 100;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below a folder with an ending, except for built and recorded ones.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut all = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !name.starts_with('.') && !matches!(&*name, "target" | "node_modules") {
            all.extend(files(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// A line without its code spans and without the addresses of its links.
fn breakable(line: &str) -> String {
    let mut text: String =
        line.split('`').enumerate().filter(|(at, _)| at % 2 == 0).map(|(_, part)| part).collect();
    while let Some((before, rest)) = text.split_once("](") {
        let Some((_, after)) = rest.split_once(')') else { break };
        text = format!("{before}]{after}");
    }
    text
}

/// The lines of some prose that are too long, by their numbers from 0; `indent` columns come before.
fn too_long<'t>(prose: impl Iterator<Item = (usize, &'t str)>, indent: usize) -> Vec<usize> {
    let (mut is_code, mut is_comment) = (false, false);
    let mut long = Vec::new();
    for (number, line) in prose {
        let text = line.trim_start();
        if text.starts_with("```") {
            is_code = !is_code;
        }
        is_comment |= text.starts_with("<!--");
        let is_fixed = is_code
            || is_comment
            || text.starts_with(['|', '#'])
            || line.starts_with("    ") && !text.starts_with(['-', '*']);
        if is_comment && text.contains("-->") {
            is_comment = false;
        }
        let width = |text: &str| indent + text.chars().count();
        if !is_fixed && width(line) > COLUMNS && width(&breakable(line)) > COLUMNS {
            long.push(number);
        }
    }
    long
}

/// The text of a line of Rust that is only a comment, and the columns before it.
fn comment(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start();
    let said = ["//! ", "/// ", "// "].iter().find_map(|mark| text.strip_prefix(mark))?;
    Some((line.len() - said.len(), said))
}

fn long_comments(source: &str) -> Vec<usize> {
    let lines: Vec<&str> = source.lines().collect();
    let mut long = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some((indent, _)) = comment(lines[at]) else {
            at += 1;
            continue;
        };
        // A comment goes on over its empty lines.
        let is_part = |line: &&&str| line.trim_start().starts_with("//");
        let end = at + lines[at..].iter().take_while(is_part).count();
        let said = lines[at..end].iter().map(|line| comment(line).map_or("", |(_, said)| said));
        long.extend(too_long((at..).zip(said), indent));
        at = end;
    }
    long
}

fn named(path: &Path, lines: Vec<usize>) -> Vec<String> {
    let name = path.strip_prefix(root()).unwrap_or(path).display().to_string();
    lines.into_iter().map(|line| format!("{name}:{}", line + 1)).collect()
}

#[test]
fn comments_of_sources_wrap_at_100_columns() {
    let (mut long, mut count) = (Vec::new(), 0);
    for path in files(&root(), "rs") {
        let source = std::fs::read_to_string(&path).unwrap();
        count += 1;
        long.extend(named(&path, long_comments(&source)));
    }
    println!("{count} sources");
    assert!(count > 1000 && long.is_empty(), "{count} sources, too long: {long:#?}");
}

#[test]
fn pages_wrap_at_100_columns() {
    let (mut long, mut count) = (Vec::new(), 0);
    let recorded = root().join("tests");
    for path in files(&root(), "md").into_iter().filter(|path| !path.starts_with(&recorded)) {
        let page = std::fs::read_to_string(&path).unwrap();
        count += 1;
        long.extend(named(&path, too_long(page.lines().enumerate(), 0)));
    }
    println!("{count} pages");
    assert!(count > 40 && long.is_empty(), "{count} pages, too long: {long:#?}");
}

#[test]
fn a_long_line_is_noticed_and_tables_and_code_are_not() {
    let words = "word ".repeat(21);
    assert_eq!(long_comments(&format!("fn f() {{}}\n/// {words}")), vec![1_usize]);
    assert_eq!(long_comments(&format!("    // {}", &words[..96])), vec![0_usize]);
    let none = Vec::<usize>::new();
    assert_eq!(long_comments(&format!("// | {words}|\n//! ```\n//! {words}\n//! ```")), none);
    assert_eq!(long_comments(&format!("let text = 1; // {words}")), none);
    let page = format!("{words}\n```\n{words}\n```\n`{words}`\n[here]({words})\n- {words}");
    assert_eq!(too_long(page.lines().enumerate(), 0), vec![0_usize, 6]);
}
