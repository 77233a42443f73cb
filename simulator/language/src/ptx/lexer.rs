//! PTX text to tokens (PTX ISA 4.1 to 4.5).
//!
//! Blanks, `//` and `/* */` comments and lines that begin with `#` (what a preprocessor leaves
//! behind) separate tokens and are dropped. A token is its kind and its place; nothing is copied.
//!
//! Deviations: the ISA calls PTX text ASCII; here comments and strings may hold any Unicode. Text
//! after a NUL is an error, but NULs that only end the text are accepted, because host code hands
//! zero-terminated text around. A name that follows a dot is one token together with its `::` parts
//! (`.shared::cta`), so blanks inside it are errors, as they are for `ptxas`.

use super::error::{SyntaxError, SyntaxErrorKind};
use super::span::Span;

/// A token: its kind and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// The kind of a token. What it says is in the text under its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `mov`, `%r1`, `$L__BB0_1`, `_`.
    Identifier,
    /// `.u32`, `.shared::cta`: a dot and the name after it.
    Dotted,
    /// `1`, `0x1fU`, `0f3F800000`, `1.5e-3`: whatever begins with a digit.
    Number,
    /// `"..."`, quotes included.
    String,
    /// One of [`PAIRS`] or [`SINGLES`].
    Punctuation(Sign),
    /// The end of the text.
    End,
}

/// Punctuation as a number, so that a token is small: its byte, or of [`PAIRS`] their place,
/// counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sign(pub(crate) u8);

impl Sign {
    /// The number of a sign of one character.
    #[inline(always)]
    pub(crate) const fn of(text: &str) -> Sign {
        match text.as_bytes() {
            [byte] => Sign(*byte),
            _ => Sign(0),
        }
    }

    /// As it is written.
    pub(crate) fn text(self) -> &'static str {
        let pair = usize::from(self.0).checked_sub(1).and_then(|at| PAIRS.get(at));
        pair.copied().or(SINGLES_BY_BYTE[usize::from(self.0)]).unwrap_or("")
    }
}

/// Punctuation of two characters.
const PAIRS: [&str; 8] = ["<<", ">>", "<=", ">=", "==", "!=", "&&", "||"];

/// Punctuation of one character.
const SINGLES: [&str; 24] = [
    "{", "}", "[", "]", "(", ")", "<", ">", ",", ";", ":", "@", "!", "+", "-", "*", "/", "%", "&",
    "|", "^", "~", "=", "?",
];

/// Walks a text token by token.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    /// A lexer at a place of `text`, which must be shorter than 4 GiB.
    pub(crate) fn at(text: &'a str, position: usize) -> Lexer<'a> {
        Lexer { text, position }
    }

    /// Takes a decimal integer of at most 19 digits with a comma right behind it, if they come
    /// next. Lists of data are full of them.
    pub(crate) fn integer_and_comma(&mut self) -> Result<Option<u64>, Box<SyntaxError>> {
        self.skip_blanks()?;
        let mut digits = 0;
        let mut value = 0;
        while let Some(digit @ 0..=9) = self.byte(digits).map(|b| b.wrapping_sub(b'0')) {
            // After a leading 0 come octal digits.
            if digits == 19 || digits > 0 && value == 0 {
                return Ok(None);
            }
            value = 10 * value + u64::from(digit);
            digits += 1;
        }
        if digits == 0 || self.byte(digits) != Some(b',') {
            return Ok(None);
        }
        self.position += digits + 1;
        Ok(Some(value))
    }

    /// The next token. After the end, again and again the end.
    #[inline]
    pub(crate) fn next_token(&mut self) -> Result<Token, Box<SyntaxError>> {
        self.skip_blanks()?;
        let start = self.position;
        let Some(first) = self.byte(0) else {
            return Ok(self.token(TokenKind::End, start));
        };
        let kind = match first {
            b'"' => self.string(start)?,
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_some_and(|b| b.is_ascii_digit())
                && self.is_float_after_dot(start) =>
            {
                self.number()
            }
            b'.' if self.byte(1).is_some_and(is_word) => self.dotted(),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.identifier(),
            b'$' | b'%' if self.byte(1).is_some_and(is_word) => self.identifier(),
            _ => self.punctuation(start)?,
        };
        Ok(self.token(kind, start))
    }

    fn token(&self, kind: TokenKind, start: usize) -> Token {
        Token { kind, span: span(start, self.position) }
    }

    #[inline(always)]
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.position + ahead).copied()
    }

    fn rest(&self) -> &'a str {
        // There is always something: only whole characters were passed over.
        self.text.get(self.position..).unwrap_or("")
    }

    #[cold]
    fn error(&self, kind: SyntaxErrorKind, start: usize, end: usize) -> Box<SyntaxError> {
        Box::new(SyntaxError { kind, span: span(start, end) })
    }

    #[inline]
    fn skip_blanks(&mut self) -> Result<(), Box<SyntaxError>> {
        self.skip(BLANK);
        match self.byte(0) {
            Some(b'/' | b'#' | 0) => self.skip_comments(),
            _ => Ok(()),
        }
    }

    /// Blanks and comments, from the first byte that may begin a comment.
    fn skip_comments(&mut self) -> Result<(), Box<SyntaxError>> {
        loop {
            self.skip(BLANK);
            match (self.byte(0), self.byte(1)) {
                (Some(b'/'), Some(b'/')) => self.skip_line(),
                (Some(b'#'), _) if self.at_line_start() => self.skip_line(),
                (Some(b'/'), Some(b'*')) => self.skip_block_comment()?,
                (Some(0), _) if self.rest().bytes().all(|b| b == 0) => {
                    self.position = self.text.len();
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_line(&mut self) {
        self.position += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn skip_block_comment(&mut self) -> Result<(), Box<SyntaxError>> {
        let inside = self.rest().get(2..).unwrap_or("");
        match inside.find("*/") {
            Some(length) => {
                self.position += 2 + length + 2;
                Ok(())
            }
            None => Err(self.error(
                SyntaxErrorKind::UnterminatedComment,
                self.position,
                self.position + 2,
            )),
        }
    }

    /// Whether only blanks lie between the last line break and here.
    fn at_line_start(&self) -> bool {
        let before = self.text.as_bytes().get(..self.position).unwrap_or(&[]);
        before.iter().rev().find(|b| !matches!(b, b' ' | b'\t' | b'\r')).is_none_or(|b| *b == b'\n')
    }

    fn string(&mut self, start: usize) -> Result<TokenKind, Box<SyntaxError>> {
        self.position += 1;
        loop {
            match self.byte(0) {
                Some(b'"') => break self.position += 1,
                Some(b'\\') if !matches!(self.byte(1), None | Some(b'\n')) => self.position += 2,
                None | Some(b'\n') => {
                    let kind = SyntaxErrorKind::UnterminatedString;
                    return Err(self.error(kind, start, self.position));
                }
                Some(_) => self.position += 1,
            }
        }
        Ok(TokenKind::String)
    }

    /// `.5` and `.5e-1` are numbers; `.2d` is a modifier.
    fn is_float_after_dot(&self, start: usize) -> bool {
        let adjacent = start.checked_sub(1).and_then(|i| self.text.as_bytes().get(i));
        if adjacent.is_some_and(|b| is_word(*b)) {
            return false;
        }
        let word = self.rest().get(1..).unwrap_or("");
        let length = word.bytes().take_while(|b| is_word(*b)).count();
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0
            && match word.as_bytes().get(digits..length) {
                None | Some([]) => true,
                Some([b'e' | b'E', exponent @ ..]) => exponent.iter().all(u8::is_ascii_digit),
                Some(_) => false,
            }
    }

    /// Everything that hangs together after a digit; whether it is a number is decided when its
    /// value is wanted.
    #[inline]
    fn number(&mut self) -> TokenKind {
        let start = self.position;
        self.skip_word();
        if let Some(b'.' | b'+' | b'-') = self.byte(0) {
            self.rest_of_number(start);
        }
        TokenKind::Number
    }

    /// The fraction and the signed exponent of a number, if they follow here.
    fn rest_of_number(&mut self, start: usize) {
        let decimal = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if self.byte(0) == Some(b'.') && decimal(self.since(start)) {
            self.position += 1;
            self.skip_word();
        }
        let signed_exponent = matches!(self.byte(0), Some(b'+' | b'-'))
            && self.since(start).strip_suffix(['e', 'E']).is_some_and(decimal);
        if signed_exponent && self.byte(1).is_some_and(|b| b.is_ascii_digit()) {
            self.position += 1;
            self.skip_word();
        }
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.position).unwrap_or("")
    }

    fn dotted(&mut self) -> TokenKind {
        self.position += 1;
        self.skip_word();
        while self.byte(0) == Some(b':')
            && self.byte(1) == Some(b':')
            && self.byte(2).is_some_and(is_word)
        {
            self.position += 2;
            self.skip_word();
        }
        TokenKind::Dotted
    }

    fn identifier(&mut self) -> TokenKind {
        self.position += 1;
        self.skip_word();
        TokenKind::Identifier
    }

    #[inline(always)]
    fn skip_word(&mut self) {
        self.skip(WORD);
    }

    /// Goes on behind the bytes of a class.
    #[inline(always)]
    fn skip(&mut self, class: u8) {
        let (text, mut end) = (self.text.as_bytes(), self.position);
        while end < text.len() && CLASSES[usize::from(text[end])] & class != 0 {
            end += 1;
        }
        self.position = end;
    }

    #[inline]
    fn punctuation(&mut self, start: usize) -> Result<TokenKind, Box<SyntaxError>> {
        let (first, second) = (self.byte(0), self.byte(1));
        if let (Some(b'<' | b'>' | b'=' | b'!' | b'&' | b'|'), Some(second)) = (first, second) {
            let is = |sign: &&str| sign.as_bytes() == [first.unwrap_or(0), second];
            if let Some(pair) = PAIRS.iter().position(is) {
                self.position += 2;
                return Ok(TokenKind::Punctuation(Sign(pair as u8 + 1)));
            }
        }
        match first {
            Some(first) if CLASSES[usize::from(first)] & SIGN != 0 => {
                self.position += 1;
                Ok(TokenKind::Punctuation(Sign(first)))
            }
            _ => Err(self.unexpected(start)),
        }
    }

    fn unexpected(&self, start: usize) -> Box<SyntaxError> {
        let c = self.rest().chars().next().unwrap_or('\0');
        self.error(SyntaxErrorKind::UnexpectedCharacter(c), start, start + c.len_utf8())
    }
}

fn span(start: usize, end: usize) -> Span {
    Span::new(u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX))
}

fn is_word(b: u8) -> bool {
    CLASSES[usize::from(b)] & WORD != 0
}

/// The bytes of names and numbers.
const WORD: u8 = 1;
/// The bytes between tokens.
const BLANK: u8 = 2;
/// Those of [`SINGLES`].
const SIGN: u8 = 4;

/// What classes each byte is of.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut b = 0;
    while b < 128 {
        let byte = b as u8;
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' {
            classes[b] = WORD;
        }
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c) {
            classes[b] = BLANK;
        }
        if SINGLES_BY_BYTE[b].is_some() {
            classes[b] = SIGN;
        }
        b += 1;
    }
    classes
};

/// [`SINGLES`] by their byte.
const SINGLES_BY_BYTE: [Option<&str>; 256] = {
    let mut signs = [None; 256];
    let mut at = 0;
    while at < SINGLES.len() {
        signs[SINGLES[at].as_bytes()[0] as usize] = Some(SINGLES[at]);
        at += 1;
    }
    signs
};
