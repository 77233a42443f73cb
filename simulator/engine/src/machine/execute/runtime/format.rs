//! `printf` formats (CUDA C++ Programming Guide, "Formatted Output"; ISO C 7.21.6.1).
//!
//! `%[flags][width][.precision][size]type` with the flags `# 0 + -` and blank, a width and a
//! precision of digits, the sizes `h hh l ll` and the types `d i o u x X c s p e E f F g G a A %`.
//! A width of `*` takes a separate argument.
//!
//! All other text, also `%.*f` and `%zu`, is no conversion and is printed unchanged. An H200's
//! driver does the same if no conversion follows. If one follows, its glibc reads arguments that do
//! not exist. `%n` is dropped here; that driver ends the process. The output equals glibc's,
//! because glibc prints on a GPU's host. So the bits of an argument of the wrong type are read as
//! the type of the format.

/// The most arguments of one call; further conversions are printed unchanged.
pub(super) const MOST_ARGUMENTS: usize = 32;

/// The widest field and the most digits: larger requests get this.
const WIDEST: usize = 1 << 12;

/// A piece of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Printed unchanged.
    Text(Vec<u8>),
    /// `%n`: nothing is printed and nothing written; it takes its argument.
    Nothing,
    Conversion(Conversion),
}

/// A conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conversion {
    /// Its text in the format.
    text: Vec<u8>,
    alternate: bool,
    zero: bool,
    left: bool,
    plus: bool,
    blank: bool,
    width: Width,
    precision: Option<usize>,
    /// The bytes of an integer argument that count.
    bytes: u32,
    kind: u8,
}

/// The least width of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    /// As wide as its text.
    Natural,
    /// This many characters.
    Fixed(usize),
    /// `*`: an argument before the value gives the number; a negative one aligns to the left.
    Argument,
}

/// The data that a conversion takes from the argument buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// An integer of 4 bytes.
    Word,
    /// An integer or a pointer of 8 bytes.
    Double,
    /// A `double`.
    Float,
    /// The address of a text.
    Text,
}

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Integer(u64),
    Float(f64),
    Text(Vec<u8>),
}

impl Piece {
    /// The argument that it takes.
    pub(super) fn wants(&self) -> Option<Wanted> {
        match self {
            Piece::Text(_) => None,
            Piece::Nothing => Some(Wanted::Double),
            Piece::Conversion(conversion) => Some(conversion.wants()),
        }
    }
}

/// Splits a format into pieces.
pub(super) fn pieces(format: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    let mut rest = format;
    while let Some((byte, after)) = rest.split_first() {
        if *byte != b'%' {
            text.push(*byte);
            rest = after;
            continue;
        }
        let Some((piece, length)) = conversion(rest) else {
            text.push(b'%');
            rest = after;
            continue;
        };
        match piece {
            Piece::Text(percent) => text.extend(percent),
            Piece::Nothing | Piece::Conversion(_) => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(piece);
            }
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// The conversion at the beginning of a text, and its length; `None` without one.
fn conversion(text: &[u8]) -> Option<(Piece, usize)> {
    let mut at = 1;
    let mut found = Conversion {
        text: Vec::new(),
        alternate: false,
        zero: false,
        left: false,
        plus: false,
        blank: false,
        width: Width::Natural,
        precision: None,
        bytes: 4,
        kind: 0,
    };
    loop {
        match text.get(at)? {
            b'#' => found.alternate = true,
            b'0' => found.zero = true,
            b'-' => found.left = true,
            b'+' => found.plus = true,
            b' ' => found.blank = true,
            _ => break,
        }
        at += 1;
    }
    if text.get(at) == Some(&b'*') {
        at += 1;
        found.width = Width::Argument;
    } else if let Some(width) = number(text, &mut at) {
        found.width = Width::Fixed(width);
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        found.precision = Some(number(text, &mut at).unwrap_or(0));
    }
    found.bytes = size(text, &mut at);
    found.kind = *text.get(at)?;
    found.text = text.get(..=at)?.to_vec();
    let piece = match found.kind {
        b'%' if at == 1 => Piece::Text(vec![b'%']),
        b'n' => Piece::Nothing,
        b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b's' | b'p' | b'e' | b'E' | b'f'
        | b'F' | b'g' | b'G' | b'a' | b'A' => Piece::Conversion(found),
        _ => return None,
    };
    Some((piece, at + 1))
}

fn number(text: &[u8], at: &mut usize) -> Option<usize> {
    let mut value: Option<usize> = None;
    while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
        let digit = usize::from(digit - b'0');
        value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(digit).min(WIDEST));
        *at += 1;
    }
    value
}

/// Bytes of an integer with the size at this place.
fn size(text: &[u8], at: &mut usize) -> u32 {
    let mut bytes = 4;
    loop {
        match text.get(*at) {
            Some(b'l') => bytes = 8,
            Some(b'h') => bytes = if bytes == 2 { 1 } else { 2 },
            _ => return bytes,
        }
        *at += 1;
    }
}

impl Conversion {
    fn wants(&self) -> Wanted {
        match self.kind {
            b's' => Wanted::Text,
            b'p' => Wanted::Double,
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => Wanted::Float,
            _ if self.bytes == 8 && self.kind != b'c' => Wanted::Double,
            _ => Wanted::Word,
        }
    }

    /// Whether an argument before the value gives the width of the field.
    pub(super) fn asks_for_width(&self) -> bool {
        self.width == Width::Argument
    }

    /// The same conversion with the width from an argument.
    pub(super) fn with_width(&self, argument: i32) -> Conversion {
        let width = (argument.unsigned_abs() as usize).min(WIDEST);
        let left = self.left || argument < 0;
        Conversion { width: Width::Fixed(width), left, ..self.clone() }
    }

    /// The most bytes of a text that it reads.
    pub(super) fn longest(&self) -> usize {
        self.precision.unwrap_or(usize::MAX)
    }

    /// Its text in the format, for a conversion without an argument.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The output for an argument.
    pub(super) fn render(&self, value: &Value) -> Vec<u8> {
        let width = match self.width {
            Width::Fixed(width) => width,
            Width::Natural | Width::Argument => 0,
        };
        let precision = self.precision;
        let (prefix, body, zeros) = match value {
            Value::Integer(value) => self.integer(*value, precision),
            Value::Float(value) => self.float(*value, precision),
            Value::Text(text) => {
                let most = precision.unwrap_or(text.len()).min(text.len());
                (Vec::new(), text.get(..most).unwrap_or_default().to_vec(), false)
            }
        };
        let padding = width.saturating_sub(prefix.len() + body.len());
        let mut out = Vec::with_capacity(width.max(body.len()));
        if self.left {
            out.extend([prefix, body].concat());
            out.resize(out.len() + padding, b' ');
        } else if self.zero && zeros {
            out.extend(prefix);
            out.resize(out.len() + padding, b'0');
            out.extend(body);
        } else {
            out.resize(padding, b' ');
            out.extend([prefix, body].concat());
        }
        out
    }

    fn sign(&self, negative: bool) -> Vec<u8> {
        match (negative, self.plus, self.blank) {
            (true, ..) => vec![b'-'],
            (false, true, _) => vec![b'+'],
            (false, false, true) => vec![b' '],
            (false, false, false) => Vec::new(),
        }
    }

    /// Sign or base, digits, and whether zeros may pad it.
    fn integer(&self, value: u64, precision: Option<usize>) -> (Vec<u8>, Vec<u8>, bool) {
        let shift = 64 - 8 * self.bytes;
        let signed = (value << shift) as i64 >> shift;
        let unsigned = value << shift >> shift;
        let (mut prefix, mut digits) = match self.kind {
            b'c' => return (Vec::new(), vec![value as u8], false),
            b'p' if value == 0 => return (Vec::new(), b"(nil)".to_vec(), false),
            b'p' => (b"0x".to_vec(), format!("{value:x}")),
            b'd' | b'i' => (self.sign(signed < 0), signed.unsigned_abs().to_string()),
            b'o' => (Vec::new(), format!("{unsigned:o}")),
            b'x' => (Vec::new(), format!("{unsigned:x}")),
            b'X' => (Vec::new(), format!("{unsigned:X}")),
            _ => (Vec::new(), unsigned.to_string()),
        };
        if precision == Some(0) && digits == "0" {
            digits.clear();
        }
        if let Some(precision) = precision {
            digits = "0".repeat(precision.saturating_sub(digits.len())) + &digits;
        }
        match self.kind {
            b'o' if self.alternate && !digits.starts_with('0') => digits.insert(0, '0'),
            b'x' if self.alternate && unsigned != 0 => prefix = b"0x".to_vec(),
            b'X' if self.alternate && unsigned != 0 => prefix = b"0X".to_vec(),
            _ => {}
        }
        (prefix, digits.into_bytes(), precision.is_none())
    }

    fn float(&self, value: f64, precision: Option<usize>) -> (Vec<u8>, Vec<u8>, bool) {
        let mut prefix = self.sign(value.is_sign_negative());
        let upper = self.kind.is_ascii_uppercase();
        let absolute = value.abs();
        if !absolute.is_finite() {
            let word = if absolute.is_nan() { "nan" } else { "inf" };
            return (prefix, cased(word.to_owned(), upper), false);
        }
        let body = match self.kind.to_ascii_lowercase() {
            b'f' => fixed(absolute, precision.unwrap_or(6), self.alternate),
            b'e' => exponential(absolute, precision.unwrap_or(6), self.alternate),
            b'g' => general(absolute, precision.unwrap_or(6), self.alternate),
            _ => {
                prefix.extend(if upper { b"0X" } else { b"0x" });
                hexadecimal(absolute, precision, self.alternate)
            }
        };
        (prefix, cased(body, upper), true)
    }
}

fn cased(text: String, upper: bool) -> Vec<u8> {
    if upper { text.to_ascii_uppercase().into_bytes() } else { text.into_bytes() }
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$}");
    if point && precision == 0 { text + "." } else { text }
}

/// Digits and the decimal exponent.
fn digits(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    // For a finite value, `{:e}` always writes an `e` and a number behind it.
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let (digits, exponent) = digits(value, precision);
    let point = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
}

fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let precision = precision.max(1);
    let (_, exponent) = digits(value, precision - 1);
    let is_fixed = exponent >= -4 && i64::from(exponent) < precision as i64;
    let text = match is_fixed {
        true => {
            let places = precision as i64 - 1 - i64::from(exponent);
            fixed(value, places.max(0) as usize, keep_zeros)
        }
        false => exponential(value, precision - 1, keep_zeros),
    };
    if keep_zeros || !text.contains('.') {
        return text;
    }
    let (number, exponent) = text.split_once('e').map_or((&*text, None), |(n, e)| (n, Some(e)));
    let number = number.trim_end_matches('0').trim_end_matches('.');
    exponent.map_or(number.to_owned(), |exponent| format!("{number}e{exponent}"))
}

/// Without its `0x`.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const PLACES: usize = 13;
    let bits = value.to_bits();
    let biased = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mut significand, exponent) = match (biased, fraction) {
        (0, 0) => (0, 0),
        (0, fraction) => (fraction, -1022),
        (biased, fraction) => (1 << 52 | fraction, biased - 1023),
    };
    let places = match precision {
        Some(places) if places < PLACES => {
            // To nearest, ties to even.
            let dropped = 4 * (PLACES - places);
            let (rest, half) = (significand & ((1 << dropped) - 1), 1 << (dropped - 1));
            let odd = significand >> dropped & 1 == 1;
            significand >>= dropped;
            significand += u64::from(rest > half || rest == half && odd);
            significand <<= dropped;
            places
        }
        Some(places) => places,
        None => PLACES.saturating_sub(significand.trailing_zeros() as usize / 4).min(PLACES),
    };
    let places = if precision.is_none() && significand << 12 == 0 { 0 } else { places };
    let hex = format!("{:013x}", significand & ((1 << 52) - 1));
    let mut shown: String = hex.chars().take(places).collect();
    shown += &"0".repeat(places.saturating_sub(PLACES));
    let dot = if places > 0 || point { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}{dot}{shown}p{sign}{}", significand >> 52, exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a format with one argument prints.
    fn printed(format: &str, value: &Value) -> String {
        let all = pieces(format.as_bytes());
        let bytes = all.iter().flat_map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Nothing => Vec::new(),
            Piece::Conversion(conversion) => conversion.render(value),
        });
        String::from_utf8(bytes.collect()).unwrap_or_default()
    }

    fn integer(format: &str, value: i64) -> String {
        printed(format, &Value::Integer(value as u64))
    }

    fn float(format: &str, value: f64) -> String {
        printed(format, &Value::Float(value))
    }

    #[test]
    fn integers_are_printed_as_c_does() {
        // Each from a C program of glibc.
        let cases = [
            ("%d", -7, "-7"),
            ("[%5d]", 42, "[   42]"),
            ("[%-5d]", 42, "[42   ]"),
            ("[%05d]", -42, "[-0042]"),
            ("%+d", 7, "+7"),
            ("% d", 7, " 7"),
            ("%.3d", 7, "007"),
            ("[%6.3d]", -7, "[  -007]"),
            ("[%06.3d]", 7, "[   007]"),
            ("[%.0d]", 0, "[]"),
            ("%u", -1, "4294967295"),
            ("%llu", -1, "18446744073709551615"),
            ("%lld", i64::MIN, "-9223372036854775808"),
            ("%hd", 65535, "-1"),
            ("%hhu", 511, "255"),
            ("%x", 255, "ff"),
            ("%#X", 255, "0XFF"),
            ("%#x", 0, "0"),
            ("%#o", 8, "010"),
            ("%#.3o", 8, "010"),
            ("[%#08x]", 255, "[0x0000ff]"),
            ("%c", 120, "x"),
            ("[%3c]", 120, "[  x]"),
            ("%p", 0x7f00, "0x7f00"),
            ("%p", 0, "(nil)"),
            ("100%%", 0, "100%"),
            ("%q", 1, "%q"),
            ("50%", 1, "50%"),
            ("[%zu]", -1, "[%zu]"),
            // From an H200.
            ("[%5%]", 1, "[%5%]"),
            ("[%*5d]", 1, "[%*5d]"),
            ("[%5*d]", 1, "[%5*d]"),
            ("[%.-2d]", 1, "[%.-2d]"),
            ("[%-+ #08d]", 5, "[+5      ]"),
        ];
        for (format, value, expected) in cases {
            assert_eq!(integer(format, value), expected, "{format}");
        }
    }

    #[test]
    fn floats_are_printed_as_c_does() {
        let cases = [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 2.5, "2"),
            ("%.0f", 3.5, "4"),
            ("%#.0f", 2.5, "2."),
            ("[%8.2f]", -3.1359, "[   -3.14]"),
            ("[%08.2f]", -3.1359, "[-0003.14]"),
            ("[%-8.2f]", 3.1359, "[3.14    ]"),
            ("%+f", 0.0, "+0.000000"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.0e", 12345.678, "1e+04"),
            ("%E", 1e-100, "1.000000E-100"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 123456.0, "123456"),
            ("%g", 1234567.0, "1.23457e+06"),
            ("%#g", 1.0, "1.00000"),
            ("%.3g", 0.0, "0"),
            ("%G", 1e20, "1E+20"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", 0.1, "0x1.999999999999ap-4"),
            ("%.2a", 1.999, "0x2.00p+0"),
            ("%A", 10.5, "0X1.5P+3"),
            ("%a", 5e-324, "0x0.0000000000001p-1022"),
            ("%a", 0.0, "0x0p+0"),
            ("%f", f64::INFINITY, "inf"),
            ("[%05f]", f64::NEG_INFINITY, "[ -inf]"),
            ("%F", f64::NAN, "NAN"),
            ("%.20f", 0.1, "0.10000000000000000555"),
        ];
        for (format, value, expected) in cases {
            assert_eq!(float(format, value), expected, "{format}");
        }
    }

    #[test]
    fn texts_are_cut_at_the_precision() {
        let text = |format: &str| printed(format, &Value::Text(b"warp".to_vec()));
        assert_eq!(text("[%6s]"), "[  warp]");
        assert_eq!(text("[%-6.2s]"), "[wa    ]");
        assert_eq!(text("%s"), "warp");
    }

    #[test]
    fn sizes_say_how_many_bytes_an_argument_has() {
        let wants = |format: &str| pieces(format.as_bytes())[0].wants();
        for (format, wanted) in [
            ("%d", Wanted::Word),
            ("%hhd", Wanted::Word),
            ("%ld", Wanted::Double),
            ("%llx", Wanted::Double),
            ("%p", Wanted::Double),
            ("%s", Wanted::Text),
            ("%lc", Wanted::Word),
            ("%lf", Wanted::Float),
        ] {
            assert_eq!(wants(format), Some(wanted), "{format}");
        }
        assert_eq!(pieces(b"a%nb").len(), 3);
    }
}
