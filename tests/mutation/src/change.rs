//! Changes to a text: lines and tokens deleted, doubled, moved and swapped; numbers, registers,
//! types, modifiers and opcodes replaced by others; the text cut off.

use super::files::File;
use super::random::Random;

/// Numbers at which something changes its mind.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "255",
    "256",
    "1024",
    "4095",
    "4096",
    "65536",
    "-2147483648",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "-4294967297",
    "16777216",
    "1099511627776",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "0x7f1000000000",
    "0x7f2000000000",
    "0x7f3100800000",
    "0x7f4000000000",
    "0f7FC00000",
    "0dFFF0000000000000",
    "1.5",
];

const WORDS: &[&str] = &[
    ".b8",
    ".b16",
    ".b32",
    ".b64",
    ".u8",
    ".u16",
    ".u32",
    ".u64",
    ".s8",
    ".s16",
    ".s32",
    ".s64",
    ".f16",
    ".f16x2",
    ".bf16",
    ".bf16x2",
    ".f32",
    ".f64",
    ".pred",
    ".b128",
    ".v2",
    ".v4",
    ".v8",
    ".shared",
    ".global",
    ".local",
    ".const",
    ".param",
    ".volatile",
    ".relaxed",
    ".acquire",
    ".release",
    ".acq_rel",
    ".sc",
    ".weak",
    ".cta",
    ".gpu",
    ".sys",
    ".cluster",
    ".sync",
    ".aligned",
    ".uni",
    ".wide",
    ".lo",
    ".hi",
    ".rn",
    ".rz",
    ".ftz",
    ".sat",
    ".to",
    ".nc",
    ".idx",
    ".add",
    ".cas",
    ".align",
    ".extern",
    ".weak",
    ".visible",
    ".func",
    ".entry",
    ".reg",
];

const SIGNS: &[&str] = &[
    "{", "}", "(", ")", "[", "]", ";", ",", ":", "@", "!", "|", "-", "+", "<", ">", "_", "\"", "?",
];

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Blank,
    Register,
    Dotted,
    Number,
    Word,
    Other,
}

/// A mutant: its text, made from one of the files.
pub fn mutant(files: &[File], seed: u64, number: u64) -> (String, String) {
    let mut random = Random::new(seed, number);
    let file = random.below(files.len());
    let name = files.get(file).map(|file| file.name.clone()).unwrap_or_default();
    let mut text = files.get(file).map(|file| file.text.clone()).unwrap_or_default();
    // Most mutants are changed little: they get far.
    let mut changes = 1 + random.below(3);
    while random.once_in(8) {
        changes += 1 + random.below(6);
    }
    for _ in 0..changes {
        text = match random.below(12) {
            0..4 => change_line(&text, files, &mut random),
            _ => change_token(&text, &mut random),
        };
    }
    if random.once_in(50) {
        let mut end = random.below(text.len() + 1);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    (name, text)
}

fn change_line(text: &str, files: &[File], random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(6) {
        0 | 1 => {
            lines.remove(at);
        }
        2 => lines.insert(at, lines[other]),
        3 => lines.swap(at, other),
        4 => {
            let line = lines.remove(at);
            lines.insert(other.min(lines.len()), line);
        }
        _ => {
            let file = files.get(random.below(files.len()));
            let count = file.map_or(0, |file| file.text.lines().count());
            let which = random.below(count);
            let line = file.and_then(|file| file.text.split_inclusive('\n').nth(which));
            lines.insert(at, line.unwrap_or("\n"));
        }
    }
    lines.concat()
}

fn change_token(text: &str, random: &mut Random) -> String {
    let mut tokens = tokens(text);
    let places: Vec<usize> = (0..tokens.len()).filter(|i| tokens[*i].0 != Sort::Blank).collect();
    let Some(&at) = places.get(random.below(places.len())) else { return text.to_owned() };
    let other = places[random.below(places.len())];
    match random.below(30) {
        0 => {
            tokens.remove(at);
        }
        1 => tokens.insert(at, tokens[other]),
        2 => tokens.swap(at, other),
        3 => tokens.insert(at, (Sort::Other, random.one_of(SIGNS).unwrap_or(";"))),
        4 => tokens.insert(at, (Sort::Dotted, random.one_of(WORDS).unwrap_or(".u32"))),
        _ => return replace_token(&tokens, &places, random),
    }
    tokens.iter().map(|(_, token)| *token).collect()
}

/// Replaces one token by one of its sort.
fn replace_token(tokens: &[(Sort, &str)], places: &[usize], random: &mut Random) -> String {
    let sort = [Sort::Register, Sort::Dotted, Sort::Number, Sort::Word][random.below(4)];
    let of_sort: Vec<usize> = places.iter().copied().filter(|i| tokens[*i].0 == sort).collect();
    let at = of_sort.get(random.below(of_sort.len())).copied();
    let another = of_sort.get(random.below(of_sort.len())).map(|i| tokens[*i].1);
    let new = match sort {
        Sort::Number if random.once_in(2) => random.one_of(NUMBERS).map(str::to_owned),
        Sort::Number => at.map(|at| neighbour(tokens[at].1, random)),
        Sort::Dotted if random.once_in(2) => random.one_of(WORDS).map(str::to_owned),
        _ => another.map(str::to_owned),
    };
    let mut out = String::new();
    for (i, (_, token)) in tokens.iter().enumerate() {
        match &new {
            Some(new) if Some(i) == at => out.push_str(new),
            _ => out.push_str(token),
        }
    }
    out
}

/// A number near this one.
fn neighbour(number: &str, random: &mut Random) -> String {
    let value = number.parse::<u64>().unwrap_or(4);
    let new = match random.below(5) {
        0 => value.wrapping_add(1),
        1 => value.wrapping_sub(1),
        2 => value.wrapping_mul(2),
        3 => value.wrapping_shl(random.below(64) as u32),
        _ => value.wrapping_add(random.next() % 4096),
    };
    new.to_string()
}

/// The tokens of a text, blanks and comments' words included: together they are the text.
fn tokens(text: &str) -> Vec<(Sort, &str)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or("");
        let word = after.find(|c| !is_word(c)).unwrap_or(after.len());
        let (sort, length) = match first {
            '%' => (Sort::Register, 1 + word),
            '.' if word > 0 => (Sort::Dotted, 1 + word),
            '0'..='9' => (Sort::Number, 1 + word),
            c if is_word(c) => (Sort::Word, 1 + word),
            c if c.is_whitespace() => (Sort::Blank, first.len_utf8()),
            _ => (Sort::Other, first.len_utf8()),
        };
        let (token, others) = rest.split_at(length);
        tokens.push((sort, token));
        rest = others;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_together_are_the_text() {
        let text = "@%p1 ld.global.v2.u32 \t{%r1, %r2}, [%rd1+-16]; // é\n$L_1: .loc 1 2 3\n";
        let found = tokens(text);
        assert_eq!(found.iter().map(|(_, token)| *token).collect::<String>(), text);
        let of = |sort| found.iter().filter(|(s, _)| *s == sort).count();
        assert_eq!((of(Sort::Register), of(Sort::Dotted), of(Sort::Number)), (4, 4, 4));
    }

    #[test]
    fn a_mutant_is_the_same_for_ever_and_another_than_its_neighbour() {
        let file = |text: &str| File { name: "f".into(), text: text.into() };
        let files = [file("add.u32 %r1, %r2, 3;\nsub.u32 %r4, %r5, 6;\n"), file("ret;\nexit;\n")];
        for number in 0..200 {
            assert_eq!(mutant(&files, 1, number), mutant(&files, 1, number));
        }
        let all: std::collections::HashSet<_> = (0..200).map(|n| mutant(&files, 1, n)).collect();
        assert!(all.len() > 100, "{}", all.len());
    }
}
