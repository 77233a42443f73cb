//! clang's messages: the errors in them, and their places.

/// An error with its place: line and column count from 1, the column in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ErrorAt {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) words: String,
    /// Where the text is, if a macro's definition has it.
    pub(super) definition: Option<Place>,
    /// Where a function of the host is declared that device code calls, which is the error.
    pub(super) callee: Option<Place>,
}

/// A place of a file: line and column count from 1, the column in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// What clang says of a place where a macro is defined, behind the error in its text.
const EXPANDED: &str = "note: expanded from macro";

/// What it says of a function of the host that device code calls, at its declaration.
const OF_HOST: &str = "note: candidate function not viable: call to __host__ function from ";

/// The errors that clang reports, each place once. One without a place is there with line 0, so
/// that nothing passes for mended that is not.
pub(super) fn errors(said: &[u8]) -> Vec<ErrorAt> {
    let said = without_colours(&String::from_utf8_lossy(said));
    let mut all: Vec<ErrorAt> = Vec::new();
    for line in said.lines() {
        if let Some((place, _)) = line.split_once(EXPANDED)
            && let Some(error) = all.last_mut()
        {
            // The last of several is the innermost.
            error.definition = place_in(place);
        }
        if let Some((place, _)) = line.split_once(OF_HOST)
            && let Some(error) = all.last_mut()
        {
            error.callee = place_in(place);
        }
        // The end of a long list is not a separate error.
        let error = error_in(line).filter(|error| !error.words.starts_with("too many errors"));
        let Some(error) = error else { continue };
        let is_there = all.iter().any(|other| {
            (&other.file, other.line, other.column) == (&error.file, error.line, error.column)
        });
        if !is_there {
            all.push(error);
        }
    }
    all
}

fn error_in(line: &str) -> Option<ErrorAt> {
    let (place, words) = ["error: ", "fatal error: "].iter().find_map(|mark| {
        let at = line.find(mark)?;
        let place = line[..at].strip_suffix("fatal ").unwrap_or(&line[..at]);
        // A message starts the line, or follows its place.
        (place.is_empty() || place.ends_with(": ")).then(|| (place, &line[at + mark.len()..]))
    })?;
    let nowhere = Place { file: String::new(), line: 0, column: 0 };
    let Place { file, line, column } = place_in(place).unwrap_or(nowhere);
    Some(ErrorAt { file, line, column, words: words.to_owned(), definition: None, callee: None })
}

/// `file:3:7: `.
fn place_in(words: &str) -> Option<Place> {
    let mut parts = words.trim_end_matches(": ").rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some(Place { file: parts.next()?.to_owned(), line, column })
}

/// Text without the sequences by which terminals show colours.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        plain += &rest[..at];
        let behind = rest[at..].find(|letter: char| letter.is_ascii_alphabetic());
        rest = behind.map_or("", |end| &rest[at + end + 1..]);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_read_with_their_places_each_place_once() {
        let said = b"In file included from a.cu:1:\n./b.h:3:7: error: wrong\n    3 | int x;\n\
                     ./b.h:3:7: error: wrong\nc:\\d.cu:1:2: fatal error: gone\n\
                     a.cu:9:1: warning: no error: at all\n\
                     \x1b[1m./e.h:4:5: \x1b[0m\x1b[0;1;31merror: \x1b[0mred\n1 error generated.\n";
        let error = |file: &str, line, column, words: &str| ErrorAt {
            file: file.to_owned(),
            line,
            column,
            words: words.to_owned(),
            definition: None,
            callee: None,
        };
        let wanted = [
            error("./b.h", 3, 7, "wrong"),
            error("c:\\d.cu", 1, 2, "gone"),
            error("./e.h", 4, 5, "red"),
        ];
        assert_eq!(errors(said), wanted);
    }

    #[test]
    fn an_error_in_a_macro_has_the_innermost_definition() {
        let said = b"a.cu:9:3: error: expected expression\n    9 |   X\n\
                     a.cu:2:11: note: expanded from macro 'X'\n\
                     ./b.h:1:11: note: expanded from macro 'Y'\n";
        let place = Place { file: "./b.h".to_owned(), line: 1, column: 11 };
        assert_eq!(errors(said)[0].definition, Some(place));
    }

    #[test]
    fn an_error_of_a_call_has_the_place_of_the_function_of_the_host() {
        let said = b"a.cu:9:3: error: no matching function for call to 'f'\n\
                     ./b.h:4:8: note: candidate function not viable: call to __host__ function \
                     from __global__ function\n";
        let place = Place { file: "./b.h".to_owned(), line: 4, column: 8 };
        assert_eq!(errors(said)[0].callee, Some(place));
    }

    #[test]
    fn an_error_without_a_place_is_one() {
        let all = errors(b"error: unknown argument\n");
        assert_eq!((all.len(), all[0].line), (1, 0));
    }
}
