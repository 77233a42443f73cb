//! How words and lists of a command line are divided.

/// The words of a file of options, as a shell divides them: by blanks, with quotes and backslashes.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => {
                word.get_or_insert_default().extend(letters.next());
            }
            (letter, Some(open)) if letter == open => quote = None,
            (letter, Some(_)) => word.get_or_insert_default().push(letter),
            ('"' | '\'', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, None) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// The values of a list that commas divide, except for commas behind a backslash, in quotes or in
/// brackets.
pub(super) fn listed(list: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut value = String::new();
    let (mut depth, mut quote) = (0u32, None);
    let mut letters = list.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', _) => match letters.next() {
                Some(',') => value.push(','),
                next => {
                    value.push('\\');
                    value.extend(next);
                }
            },
            (',', None) if depth == 0 => values.push(std::mem::take(&mut value)),
            ('"' | '\'', None) => {
                quote = Some(letter);
                value.push(letter);
            }
            (letter, open) => {
                if open == Some(letter) {
                    quote = None;
                }
                match (letter, quote) {
                    ('[' | '(', None) => depth += 1,
                    (']' | ')', None) => depth = depth.saturating_sub(1),
                    _ => {}
                }
                value.push(letter);
            }
        }
    }
    values.push(value);
    values.retain(|value| !value.is_empty());
    values
}

/// The macros of a list that commas divide, except for commas behind a backslash or in double
/// quotes. Nothing else holds them together (nvcc 13.0: `-DX=F(1,2)` defines `X` as `F(1`).
pub(super) fn macros(list: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = list.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next_if_eq(&',').is_some() => push(&mut values, ','),
            ',' if !is_quoted => values.push(String::new()),
            letter => {
                is_quoted ^= letter == '"';
                push(&mut values, letter);
            }
        }
    }
    values.retain(|value| !value.is_empty());
    values
}

fn push(values: &mut [String], letter: char) {
    if let Some(value) = values.last_mut() {
        value.push(letter);
    }
}

/// The words of a list that is passed on to another program. Each value is split as a shell would
/// split it.
pub(super) fn passed_on(list: &str) -> Vec<String> {
    listed(list).iter().flat_map(|value| split(value)).collect()
}

/// A word as a shell reads it back.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=+:,@%^".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_options_are_divided_as_a_shell_does() {
        let text = "-I\"/a b\" -DX='\"y\"'\n -DA=\\\"b\\\"\t'' c";
        assert_eq!(split(text), ["-I/a b", "-DX=\"y\"", "-DA=\"b\"", "", "c"]);
        assert_eq!(split(" \n"), Vec::<String>::new());
    }

    #[test]
    fn commas_divide_lists_but_where_something_holds_them_together() {
        assert_eq!(listed("a,b,,c"), ["a", "b", "c"]);
        assert_eq!(listed("arch=compute_80,code=[compute_80,sm_80]").len(), 2);
        assert_eq!(listed("-Wl\\,-rpath\\,x,-g"), ["-Wl,-rpath,x", "-g"]);
        assert_eq!(listed("\"a,b\",c"), ["\"a,b\"", "c"]);
        assert_eq!(passed_on("-Wall -Wextra,\"-O2\""), ["-Wall", "-Wextra", "-O2"]);
    }

    #[test]
    fn macros_are_divided_as_nvcc_divides_them() {
        assert_eq!(macros("X=1,B=7"), ["X=1", "B=7"]);
        assert_eq!(macros("X=1\\,2"), ["X=1,2"]);
        assert_eq!(macros("X=\"1,2\",B"), ["X=\"1,2\"", "B"]);
        assert_eq!(macros("X=F(1,2)"), ["X=F(1", "2)"]);
        assert_eq!(macros("X='1,2'"), ["X='1", "2'"]);
        assert_eq!(macros("X={1,2}"), ["X={1", "2}"]);
        assert_eq!(macros("X=\\n"), ["X=\\n"]);
    }

    #[test]
    fn a_quoted_word_is_read_back() {
        for word in ["plain", "two words", "q\"uote", "back\\slash", "", "a,b=c"] {
            assert_eq!(split(&quoted(word)), [word]);
        }
    }
}
