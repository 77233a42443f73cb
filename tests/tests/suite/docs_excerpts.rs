//! Code that the book quotes is in the files that it is quoted from.
//!
//! A code block behind `<!-- from: FILE -->` has to occur in that file, blanks and comments aside.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text without comments, with one blank between words.
fn normalised(text: &str) -> String {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The file and the text of each quotation of a page.
fn quotations(page: &str) -> Vec<(&str, &str)> {
    let quotation = |part| {
        let (file, rest): (&str, &str) = str::split_once(part, " -->\n```").unwrap();
        let (_, block) = rest.split_once('\n').unwrap();
        (file, block.split_once("\n```").unwrap().0)
    };
    page.split("<!-- from: ").skip(1).map(quotation).collect()
}

#[test]
fn what_the_book_quotes_stands_there() {
    let mut checked = 0;
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        for (file, text) in quotations(&std::fs::read_to_string(&path).unwrap()) {
            let source = std::fs::read_to_string(root().join(file)).unwrap();
            let found = normalised(&source).contains(&normalised(text));
            assert!(found, "{} quotes what is not in {file}:\n{text}", path.display());
            checked += 1;
        }
    }
    assert!(checked >= 3, "only {checked} quotations were found: are they still marked?");
}

#[test]
fn the_links_of_the_book_and_the_readme_lead_somewhere() {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.chain(["README.md", "CONTRIBUTING.md"].map(|page| root().join(page)));
    for path in pages.filter(|path| path.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(&path).unwrap();
        // Every other part is code, in which `f[n](x)` is no link.
        for part in text.split("```").step_by(2).flat_map(|prose| prose.split("](").skip(1)) {
            let target = part.split([')', '#']).next().unwrap_or_default();
            if target.is_empty() || target.starts_with("http") {
                continue;
            }
            let there = path.parent().unwrap().join(target).exists();
            assert!(there, "{} links to {target}, which is not there", path.display());
        }
    }
}
