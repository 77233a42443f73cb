//! Names as their sources have them.
//!
//! Compilers write `scan(int*)` of C++ as `_Z4scanPi` (Itanium C++ ABI, 5.1), `kernels::scan` of
//! Rust as `_ZN7kernels4scan17h...E` or `_RNv...`, and the parameters of a function as
//! `FUNCTION_param_N`. PTX has these forms. Here they are translated back for people, and two
//! spellings of one name in C++ are recognised as the same name.
//!
//! Direction of error: a name that is not understood stays as it is in the PTX.

use std::borrow::Cow;

use cpp_demangle::{DemangleOptions, Symbol};

/// A name as its source has it, with its namespaces and template arguments and without its
/// parameters; `None` when no compiler has changed it.
///
/// ```
/// use warpsim_language::names::in_source;
///
/// assert_eq!(in_source("_ZN4sums4foldIiLj32EEEvPT_").as_deref(), Some("sums::fold<int, 32u>"));
/// assert_eq!(in_source("_ZN4sums4fold17h0123456789abcdefE").as_deref(), Some("sums::fold"));
/// assert_eq!(in_source("scan"), None);
/// ```
pub fn in_source(name: &str) -> Option<String> {
    if is_rust(name) {
        let demangled = rustc_demangle::try_demangle(name).ok()?;
        return Some(format!("{demangled:#}"));
    }
    let symbol = Symbol::new(name.strip_prefix("_Z").map(|_| name)?).ok()?;
    let options = DemangleOptions::new().no_params().no_return_type();
    symbol.demangle_with_options(&options).ok().map(|name| with_suffixes(&without_tags(&name)))
}

/// A name for a message: as its source has it, if known.
pub fn readable(name: &str) -> Cow<'_, str> {
    in_source(name).map_or(Cow::Borrowed(name), Cow::Owned)
}

/// The longest name that is said again in full.
const LONGEST: usize = 60;

/// A name for a message that has given it in full before: without template arguments, and cut if it
/// is long.
///
/// ```
/// use warpsim_language::names::short;
///
/// assert_eq!(short("_Z4scanPi"), "scan");
/// let long = format!("cub::reduce<{}>", "cub::Policy, ".repeat(20));
/// assert_eq!(short(&long), "cub::reduce<...>");
/// ```
pub fn short(name: &str) -> Cow<'_, str> {
    let name = readable(name);
    if name.chars().count() <= LONGEST {
        return name;
    }
    if let Some((before, _)) = name.split_once('<')
        && before.chars().count() <= LONGEST
        && !before.is_empty()
    {
        return format!("{before}<...>").into();
    }
    let begin: String = name.chars().take(LONGEST - 3).collect();
    format!("{begin}...").into()
}

/// Names that rustc makes. Names of its older form end in a hash of 16 digits.
fn is_rust(name: &str) -> bool {
    let hash = |rest: &str| rest.len() == 16 && rest.bytes().all(|b| b.is_ascii_hexdigit());
    let of_older = |name: &str| name.strip_suffix('E')?.rsplit_once("17h").map(|(_, h)| hash(h));
    name.starts_with("_R") || (name.starts_with("_ZN") && of_older(name) == Some(true))
}

/// Without `[abi:...]`, in which numba keeps its flags.
fn without_tags(name: &str) -> String {
    let mut text = String::new();
    let mut rest = name;
    while let Some((before, tag)) = rest.split_once("[abi:") {
        text += before;
        rest = tag.split_once(']').map_or("", |(_, after)| after);
    }
    text + rest
}

/// Casts of the numbers among template arguments, and the suffixes of literals that say the same.
const SUFFIXES: [(&str, &str); 6] = [
    ("(unsigned int)", "u"),
    ("(int)", ""),
    ("(long)", "l"),
    ("(unsigned long)", "ul"),
    ("(long long)", "ll"),
    ("(unsigned long long)", "ull"),
];

/// `fold<32u>` for `fold<(unsigned int)32>`.
fn with_suffixes(name: &str) -> String {
    let mut text = String::new();
    let mut rest = name;
    while let Some(at) = rest.find('(') {
        let (before, from) = rest.split_at(at);
        text += before;
        let number = |after: &str| {
            let sign = usize::from(after.starts_with('-'));
            let digits = after[sign..].find(|c: char| !c.is_ascii_digit());
            let end = sign + digits.unwrap_or(after.len() - sign);
            (end > sign).then_some(end)
        };
        let cast = SUFFIXES.iter().find_map(|(cast, suffix)| {
            let after = from.strip_prefix(cast)?;
            Some((after.split_at(number(after)?), suffix))
        });
        match cast {
            Some(((number, after), suffix)) => {
                text += number;
                text += suffix;
                rest = after;
            }
            None => {
                text.push('(');
                rest = &from[1..];
            }
        }
    }
    text + rest
}

/// A parameter for a message, with its position from 0: the name that its author gave it, or
/// `parameter 2 of matmul` if a compiler has made up its name.
///
/// ```
/// use warpsim_language::names::parameter;
///
/// assert_eq!(parameter("out"), "`out`");
/// assert_eq!(parameter("_Z6matmulPKfS0_Pfi_param_2"), "parameter 2 of matmul");
/// ```
pub fn parameter(name: &str) -> String {
    match made_up(name) {
        Some((function, index)) => format!("parameter {index} of {}", readable(function)),
        None => format!("`{name}`"),
    }
}

/// The function and the position of a parameter whose name a compiler has made up.
pub fn made_up(name: &str) -> Option<(&str, usize)> {
    let (function, index) = name.rsplit_once("_param_")?;
    let index = index.bytes().all(|b| b.is_ascii_digit()).then(|| index.parse().ok())??;
    (!function.is_empty()).then_some((function, index))
}

/// The name of a variable as its source has it, without its function, class or namespace: C++
/// compilers mangle it with all of these.
///
/// ```
/// use warpsim_language::names::variable;
///
/// assert_eq!(variable("_ZZ6reducePiE4data"), "data");
/// ```
pub fn variable(name: &str) -> Cow<'_, str> {
    match in_source(without_number(name)) {
        Some(path) => without_generated_part(last_part(&path)).to_owned().into(),
        None => name.into(),
    }
}

/// LLVM writes this for the `.` before the number that distinguishes equal names.
const NUMBERED: &str = "_$_";

/// A name without the number by which LLVM distinguishes equal names: `data_$_1`.
fn without_number(name: &str) -> &str {
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    let before = name.rsplit_once(NUMBERED).filter(|(_, rest)| is_number(rest));
    before.map_or(name, |(before, _)| before)
}

/// The part behind the last `::` of a path that is not between brackets.
fn last_part(path: &str) -> &str {
    let mut depth = 0_usize;
    let mut end = path.len();
    for (at, c) in path.char_indices().rev() {
        match c {
            '>' | ')' | ']' | '}' => depth += 1,
            '<' | '(' | '[' | '{' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    if end == path.len() { path } else { &path[end + 1..] }
}

/// A name without the prefix that nvcc puts before the name of a static local variable:
/// `__cuda_local_var_41037_30_non_const_data`.
fn without_generated_part(name: &str) -> &str {
    let generated = name.strip_prefix("__cuda_local_var_");
    let own = generated.and_then(|rest| {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
        ["non_const_", "const_"].iter().find_map(|constness| rest.strip_prefix(constness))
    });
    own.filter(|own| !own.is_empty()).unwrap_or(name)
}

/// Names that a message lists; a generated module may have thousands.
const LISTED: usize = 20;

/// Names with commas between them. A name that a compiler has changed also has its form in the
/// source. At most twenty are listed, and the rest is counted.
///
/// ```
/// use warpsim_language::names::list;
///
/// assert_eq!(list(&["plain", "_Z4scanPi"]), "plain, scan (_Z4scanPi)");
/// ```
pub fn list(names: &[impl AsRef<str>]) -> String {
    let shown = names.iter().take(LISTED).map(|name| match in_source(name.as_ref()) {
        Some(source) => format!("{source} ({})", name.as_ref()),
        None => name.as_ref().to_owned(),
    });
    let listed = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed}, and {more} more"),
    }
}

/// What of a name is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All of it: `sums::scan<int>`.
    All,
    /// Without its namespace: `scan<int>`.
    WithoutNamespace,
    /// Without its template arguments: `sums::scan`.
    WithoutArguments,
    /// Without either: `scan`.
    Bare,
}

impl Part {
    /// From the whole to the least.
    const ALL: [Part; 4] = [Part::All, Part::WithoutNamespace, Part::WithoutArguments, Part::Bare];

    fn of(self, name: &str) -> &str {
        let arguments = name.find('<').unwrap_or(name.len());
        let path = name.get(..arguments).unwrap_or(name);
        let own = path.rfind("::").map_or(0, |at| at + 2);
        match self {
            Part::All => name,
            Part::WithoutNamespace => name.get(own..).unwrap_or(name),
            Part::WithoutArguments => path,
            Part::Bare => path.get(own..).unwrap_or(path),
        }
    }
}

/// Which of some names of PTX match a given name. It may be given as in PTX, or as in the source. A
/// name of the source may have its namespace and template arguments (`sums::scan<int>`), or lack
/// either. It may also be bare (`scan`). The match that agrees in most parts of a name wins. So
/// several names are returned only if they agree equally.
///
/// Blanks do not count, and neither does the spelling of a number or of a type of C:
/// `fold<unsigned, 32>` is `fold<unsigned int, 32u>`.
///
/// ```
/// use warpsim_language::names::called;
///
/// let names = ["_Z7reduce4IiLj256EEvPT_", "_Z7reduce4IfLj256EEvPT_", "_Z4scanPi"];
/// assert_eq!(called("reduce4<int, 256>", names), [names[0]]);
/// assert_eq!(called("scan", names), [names[2]]);
/// assert_eq!(called("reduce4", names), names[..2]);
/// assert!(called("sum", names).is_empty());
/// ```
pub fn called<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(exact) = names.iter().find(|name| **name == wanted) {
        return vec![*exact];
    }
    let wanted = spelled(wanted);
    let sources: Vec<(&str, String)> =
        names.iter().filter_map(|name| Some((*name, spelled(&in_source(name)?)))).collect();
    let found = Part::ALL.into_iter().map(|part| {
        let is_called_so = |(_, source): &&(&str, String)| part.of(source) == wanted;
        sources.iter().filter(is_called_so).map(|(name, _)| *name).collect::<Vec<_>>()
    });
    found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Other spellings of types, as the compilers of CUDA on 64-bit Linux have them.
const SPELLINGS: [(&str, &str); 12] = [
    ("uint8_t", "unsigned char"),
    ("int8_t", "signed char"),
    ("uint16_t", "unsigned short"),
    ("int16_t", "short"),
    ("uint32_t", "unsigned int"),
    ("int32_t", "int"),
    ("uint64_t", "unsigned long"),
    ("int64_t", "long"),
    ("size_t", "unsigned long"),
    ("uint", "unsigned int"),
    ("half", "__half"),
    ("nv_bfloat16", "__nv_bfloat16"),
];

/// A name in one spelling: without blanks, numbers without suffixes and casts, types by one name.
fn spelled(name: &str) -> String {
    let words = words(name);
    let mut text = String::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        // `(char)97` is 97.
        let is_cast = *word == "("
            && words[at..].iter().position(|w| *w == ")").is_some_and(|end| {
                words.get(at + end + 1).is_some_and(|w| is_number(w) || *w == "-")
            });
        if is_cast {
            at += words[at..].iter().position(|w| *w == ")").unwrap_or(0) + 1;
            continue;
        }
        let next = words.get(at + 1).copied().unwrap_or_default();
        let is_alone = !["int", "char", "short", "long"].contains(&next);
        match *word {
            number if is_number(number) => {
                text += number.trim_end_matches(['u', 'l', 'U', 'L']);
            }
            "unsigned" if is_alone => text += "unsignedint",
            // `long int`, `unsigned short int`.
            "int" if text.ends_with("long") || text.ends_with("short") => {}
            word => {
                let known = SPELLINGS.iter().find(|(other, _)| *other == word);
                text += &known.map_or(word, |(_, name)| name).replace(' ', "");
            }
        }
        at += 1;
    }
    text
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_end_matches(['u', 'l', 'U', 'L']);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Words and signs, without the blanks between them.
fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = match is_of_word(first) {
            true => rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        if !first.is_whitespace() {
            words.push(word);
        }
        rest = after;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As NVRTC and `c++filt` have them.
    const NAMES: [&str; 6] = [
        "plain",
        "_Z4scanPi",
        "_ZN4sums4foldIiLi32EEEvPT_",
        "_ZN4sums4foldIfLi32EEEvPT_",
        "_ZN5other4scanEPf",
        "_ZN4sums5totalIxN3ops3SumEEEvPKT_PS3_T0_",
    ];

    #[test]
    fn a_kernel_is_called_by_the_name_in_the_ptx_and_by_that_in_the_source() {
        for (wanted, name) in [
            ("plain", "plain"),
            ("_Z4scanPi", "_Z4scanPi"),
            ("scan", "_Z4scanPi"),
            ("other::scan", "_ZN5other4scanEPf"),
            ("sums::fold<float, 32>", "_ZN4sums4foldIfLi32EEEvPT_"),
            ("sums::fold<int,32>", "_ZN4sums4foldIiLi32EEEvPT_"),
            ("fold<int, 32>", "_ZN4sums4foldIiLi32EEEvPT_"),
            ("fold<int32_t, 32u>", "_ZN4sums4foldIiLi32EEEvPT_"),
            ("sums::total<long long, ops::Sum>", "_ZN4sums5totalIxN3ops3SumEEEvPKT_PS3_T0_"),
            ("total<long long,ops::Sum>", "_ZN4sums5totalIxN3ops3SumEEEvPKT_PS3_T0_"),
            ("total<long long int,ops::Sum>", "_ZN4sums5totalIxN3ops3SumEEEvPKT_PS3_T0_"),
        ] {
            assert_eq!(called(wanted, NAMES), [name], "{wanted}");
        }
        assert_eq!(called("fold", NAMES), NAMES[2..4]);
        assert!(called("nothing", NAMES).is_empty());
        assert!(called("", NAMES).is_empty());
    }

    #[test]
    fn a_number_and_a_type_are_the_same_however_they_are_spelled() {
        // template <typename T, unsigned N, char C, bool B, long L> __global__ void k(T *), as
        // clang mangles it for <unsigned, 256, 'a', true, -3>.
        let name = "_Z1kIjLj256ELc97ELb1ELln3EEvPT_";
        for wanted in [
            "k<unsigned int, 256u, (char)97, true, -3l>",
            "k<unsigned, 256, 97, true, -3>",
            "k<uint32_t,256,97,true,-3>",
        ] {
            assert_eq!(called(wanted, [name]), [name], "{wanted}: {:?}", in_source(name));
        }
        assert!(called("k<int, 256, 97, true, -3>", [name]).is_empty());
    }

    #[test]
    fn names_of_rust_and_of_numba_are_without_what_their_compilers_add() {
        for (name, source) in [
            ("_ZN7kernels3add17h0123456789abcdefE", "kernels::add"),
            ("_RNvCs1234_7kernels3add", "kernels::add"),
            (
                "_ZN6cudapy8__main__3addB2v1E5ArrayIfLi1E1C7mutable7alignedE",
                "cudapy::__main__::add",
            ),
        ] {
            assert_eq!(in_source(name).as_deref(), Some(source));
            assert_eq!(called("add", [name]), [name]);
        }
        for name in ["_Z", "_R", "_ZN", "add", "_Z3ad", "_ZN3addE17h", ""] {
            assert_eq!(readable(name), name);
        }
    }

    #[test]
    fn a_parameter_whose_name_is_made_up_is_told_by_its_position() {
        assert_eq!(parameter("_ZN4sums3ownEPi_param_0"), "parameter 0 of sums::own");
        assert_eq!(parameter("scan_param_12"), "parameter 12 of scan");
        for name in ["out", "_param_1", "scan_param_", "scan_param_x", "param_0"] {
            assert_eq!(parameter(name), format!("`{name}`"));
        }
    }

    #[test]
    fn a_mangled_variable_has_the_name_of_its_source() {
        for (name, source) in [
            ("_ZZ2kAE1s", "s"),
            ("_ZZ6reducePiE4data", "data"),
            // The 5 of a substitution is no length, nor are digits of other parts.
            ("_ZZ1kP1AP1BP1CPiiS5_E7updated", "updated"),
            ("_ZZ1kPiiS_S_S_S_S_E7updated", "updated"),
            ("_ZZ1kILi7EEvPiE3sum", "sum"),
            ("_ZZ4foldIfLj256EEvPKT_PS0_iE7partial", "partial"),
            ("_ZZN4sums4foldIiLj64EEEvPKT_PS1_E4left", "left"),
            ("_ZZN5space5Class6methodEiPfE4tile", "tile"),
            // The second one of this name in its function, and the eleventh.
            ("_ZZ1kPiE4data_0", "data"),
            ("_ZZ1kPiE4data__10_", "data"),
            ("_ZZ1kPiE4data_$_1", "data"),
            ("_ZZ5plainE1s_0", "s"),
            ("_ZZ1tI1AEvPT_E4tile_0", "tile"),
            ("_ZZN1M3getEvE3inm", "inm"),
            ("_ZZNK1MclEiE2op", "op"),
            ("_ZZZ1kP1AP1BP1CPiiS5_ENKUlvE_clEvE3inl", "inl"),
            ("_ZZ3lamIZ1yvEUliE_EvT_PiE7insideF", "insideF"),
            ("_ZZZ1yvENKUliE_clEiE5inlam", "inlam"),
            // Of a lambda, and of a lambda in a template.
            ("_ZZZ1kPiENKUlvE_clEvE4tile", "tile"),
            ("_ZZZ3runIiEvPT_ENKUliE0_clEiE4tile", "tile"),
            // Of no name's namespace.
            ("_ZN12_GLOBAL__N_15countE", "count"),
            ("_ZZN12_GLOBAL__N_11kEPiE4tile", "tile"),
            ("_ZN42_INTERNAL_4d4dd7d4_4_k_cu_1a2b3c4d_12345674rowsE", "rows"),
            ("_ZZ1kPiE40__cuda_local_var_41037_30_non_const_tile", "tile"),
            ("_ZL5table", "table"),
            ("_Z5tableIiE", "table<int>"),
            // Names that are none of a compiler of C++.
            ("_cudapy_smem_3", "_cudapy_smem_3"),
            ("__unnamed_1", "__unnamed_1"),
            ("_Z9", "_Z9"),
            ("_ZN5space5countE", "count"),
            ("_ZN7kernels4DATA17h0123456789abcdefE", "DATA"),
            ("data", "data"),
            ("_Z", "_Z"),
        ] {
            assert_eq!(variable(name), source);
        }
    }
}
