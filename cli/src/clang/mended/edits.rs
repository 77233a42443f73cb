//! The mends at the place of an error, as edits of the file's text.
//!
//! The edits look only at the letters around the place: clang has found the error, and clang judges
//! the result. An edit keeps the number of lines.

use super::messages::{ErrorAt, Place};

/// Bytes of a text and what comes in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    start: usize,
    end: usize,
    text: String,
}

/// What clang says where a mistake can be mended.
const SHARED: &str = "initialization is not supported for __shared__ variables";
const OVERLOADED: &str = "reference to overloaded function could not be resolved";
const TEMPLATE: [&str; 2] = ["use 'template' keyword to treat", "missing 'template' keyword"];
const EXPRESSION: &str = "expected expression";
const KERNEL: [&str; 2] = ["reference to __global__ function", "no matching function for call to"];
const SPECIALIZATION: &str = "no function template matches function template specialization";
const PARENTHESIS: &str = "expected ')'";
const ESCAPE: &str = "invalid % escape in inline assembly string";
const CONFIGURATION: &str = "reference to __host__ function '__cudaPushCallConfiguration'";

/// What comes before an object's name in the name of its memory.
pub(super) const MEMORY: &str = "__warpsim_bytes_";

/// The keyword of variables in shared memory, as in sources.
const QUALIFIER: &str = "__shared__";

/// The edits that mend an error; none where another error's edits do so, too. `None` where it
/// cannot be mended.
pub(super) fn edit_for(error: &ErrorAt, text: &str) -> Option<Vec<Edit>> {
    let at = offset(text, (error.line, error.column))?;
    let words = error.words.as_str();
    if words.starts_with(SHARED) {
        shared_objects(text, at)
    } else if words.starts_with(OVERLOADED) {
        template_member(text, at)
    } else if TEMPLATE.iter().any(|start| words.starts_with(start)) {
        named_template(text, at, words.split('\'').nth(3)?)
    } else if words.starts_with(EXPRESSION) {
        launch(text, at)
    } else if KERNEL.iter().any(|start| words.starts_with(start)) {
        launch_of_kernel(text, at)
    } else if words.starts_with(ESCAPE) {
        registers(text, at)
    } else if words.starts_with(SPECIALIZATION) {
        specialization(text, at)
    } else if words.starts_with(PARENTHESIS) {
        operand(text, at)
    } else if words.starts_with(CONFIGURATION) {
        // Mended with the kernel's name.
        Some(Vec::new())
    } else {
        None
    }
}

/// The declaration of a function of the host that device code calls, in the host's pass: NVIDIA's
/// compiler does not look at device code there, and a macro may make the function one of the device
/// in the device's pass alone. It is for both.
pub(super) fn edit_of_callee(place: &Place, text: &str) -> Option<Vec<Edit>> {
    let mut at = offset(text, (place.line, place.column))?;
    // Before the names of its classes and namespaces.
    while let Some(before) = text[..at].strip_suffix("::") {
        at = before.trim_end_matches(is_of_name).len();
    }
    text[at..].starts_with(is_of_name).then(|| vec![inserted(at, "__host__ __device__ ")])
}

/// The same where a macro's definition has the text; `None` where it is not to be mended there.
pub(super) fn edit_of_macro(error: &ErrorAt, place: &Place, text: &str) -> Option<Vec<Edit>> {
    let at = offset(text, (place.line, place.column))?;
    if error.words.starts_with(ESCAPE) { registers(text, at) } else { directive(text, at) }
}

/// A macro that has a directive as its text (`#define UNROLL #pragma unroll`), with the `#` at
/// `start`: the operator of C++ for it. `None` where it is none.
fn directive(text: &str, start: usize) -> Option<Vec<Edit>> {
    let line = text[start..].lines().next()?;
    let said = line.strip_prefix('#')?.trim_start().strip_prefix("pragma")?;
    let ends = ["//", "/*"].iter().filter_map(|mark| said.find(mark));
    let said = &said[..ends.min().unwrap_or(said.len())];
    if !said.starts_with([' ', '\t']) || said.contains(['\\', '"']) {
        return None;
    }
    let end = start + line.find(said)? + said.len();
    Some(vec![Edit { start, end, text: format!("_Pragma(\"{}\") ", said.trim()) }])
}

/// A text with the edits; `None` where they are in each other's way, or there are none.
pub(super) fn applied(text: &str, edits: &[Edit]) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.start, edit.end));
    edits.dedup();
    let (mut mended, mut from) = (String::with_capacity(text.len()), 0);
    for edit in &edits {
        mended += text.get(from..edit.start)?;
        mended += &edit.text;
        from = edit.end;
    }
    mended += text.get(from..)?;
    (!edits.is_empty()).then_some(mended)
}

/// Where a line and a column are.
fn offset(text: &str, (line, column): (usize, usize)) -> Option<usize> {
    let before = text.split_inclusive('\n').take(line.checked_sub(1)?);
    let at = before.map(str::len).sum::<usize>().checked_add(column.checked_sub(1)?)?;
    // What begins here begins with a whole letter, so texts may be cut at it.
    text.is_char_boundary(at).then_some(at).filter(|at| *at < text.len())
}

fn inserted(at: usize, text: &str) -> Edit {
    Edit { start: at, end: at, text: text.to_owned() }
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// `__shared__ T a, b[2];` with the name of one of them at `at`: memory of their size and
/// alignment, and references to the objects in it.
fn shared_objects(text: &str, at: usize) -> Option<Vec<Edit>> {
    let start = text[..at].rfind(QUALIFIER)?;
    let end = at + text[at..].find(';')?;
    let whole = &text[start..end];
    // With comments or directives in it the lines could not be put together.
    if whole.contains("//") || whole.contains("/*") || whole.contains(['#', '{', '}', ';', '=']) {
        return None;
    }
    let kind = text[start + QUALIFIER.len()..at].trim();
    if split(kind, ',').len() > 1 {
        // The first name's edit mends the others.
        return Some(Vec::new());
    }
    let kind = kind.replace('\n', " ");
    let mut declared = String::new();
    for declarator in split(&text[at..end], ',') {
        let declarator = declarator.trim();
        let name_end = declarator.find(|l| !is_of_name(l)).unwrap_or(declarator.len());
        let (name, extent) = (&declarator[..name_end], declarator[name_end..].trim());
        if name.is_empty() || !(extent.is_empty() || extent.starts_with('[')) {
            return None;
        }
        let extent = extent.replace('\n', " ");
        declared += &format!(
            "{QUALIFIER} __warpsim_uninitialized<{kind} {extent}> {MEMORY}{name}; \
             auto &{name} = {MEMORY}{name}.object(); "
        );
    }
    let declared = declared.trim_end().trim_end_matches(';');
    let lines = "\n".repeat(whole.matches('\n').count());
    Some(vec![Edit { start, end, text: format!("{declared}{lines}") }])
}

/// The parts of a text between separators that no bracket holds.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            _ if letter == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + letter.len_utf8();
            }
            _ => (),
        }
    }
    parts.push(&text[from..]);
    parts
}

/// `A<T>::f<n>(x)`, which starts at `at`: `A<T>::template f<n>(x)`.
fn template_member(text: &str, at: usize) -> Option<Vec<Edit>> {
    let end = at + text[at..].find(['(', ';'])?;
    let marks = text[at..end].match_indices(">::").map(|(mark, _)| at + mark + 3);
    let is_template = |place: &usize| {
        let name = text[*place..end].find(|letter| !is_of_name(letter));
        name.is_some_and(|length| length > 0 && text[*place + length..].starts_with('<'))
    };
    marks.filter(is_template).last().map(|place| vec![inserted(place, "template ")])
}

/// The same where the template's name is known.
fn named_template(text: &str, at: usize, name: &str) -> Option<Vec<Edit>> {
    let end = at + text[at..].find(';').unwrap_or(text.len() - at);
    let mut places = text[at..end].match_indices(name).map(|(place, _)| at + place);
    let place = places.find(|place| {
        let is_member = ["::", ".", "->"].iter().any(|mark| text[..*place].ends_with(mark));
        let behind = text[*place + name.len()..].trim_start();
        (*place == at || is_member) && behind.starts_with('<')
    });
    place.map(|place| vec![inserted(place, "template ")])
}

/// `k << <1, 1>> >()`, with a part of the first signs at `at`: `k<<<1, 1>>>()`.
fn launch(text: &str, at: usize) -> Option<Vec<Edit>> {
    if text[at..].starts_with('>') {
        // Mended with the signs that open the launch.
        return joined(text, at, '>').map(|_| Vec::new());
    }
    let opened = joined(text, at, '<')?;
    let mut from = opened.end;
    // No statement ends between the signs.
    let end = from + text[from..].find([';', '{', '}'])?;
    while let Some(next) = text[from..end].find('>').map(|next| from + next) {
        match joined(text, next, '>') {
            Some(closed) if text[closed.end..].trim_start().starts_with('(') => {
                return Some(vec![opened, closed]);
            }
            Some(closed) => from = closed.end,
            None => from = next + 1,
        }
    }
    None
}

/// `k<<<1, 1>>>(x)` in device code, with the kernel's name at `at`: what `children.h` has for it.
fn launch_of_kernel(text: &str, at: usize) -> Option<Vec<Edit>> {
    let start = text[..at].trim_end_matches(|letter| is_of_name(letter) || letter == ':').len();
    let opened = at + text[at..].find("<<<")?;
    let kernel = text[start..opened].trim();
    let closed = opened + 3 + end_of_launch(&text[opened + 3..])?;
    let is_called = text[closed + 3..].trim_start().starts_with('(');
    if !is_called || kernel.contains([';', '{', '}', '(', '\n', '/']) {
        return None;
    }
    let begin = format!("__warpsim_kernel<decltype({kernel}), {kernel}>::with(");
    Some(vec![
        Edit { start, end: opened + 3, text: begin },
        Edit { start: closed, end: closed + 3, text: ")".to_owned() },
    ])
}

/// Where the signs are that end the numbers of a launch.
fn end_of_launch(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ';' | '{' | '}' => return None,
            '>' if depth == 0 && text[at..].starts_with(">>>") => return Some(at),
            _ => (),
        }
    }
    None
}

/// `asm("mov.u64 %0, %globaltimer;" : ...)`, with `at` a few letters behind the sign that names a
/// register: the sign twice, there and in the rest of the text that is in quotes.
fn registers(text: &str, at: usize) -> Option<Vec<Edit>> {
    let end = at + text[at..].chars().next()?.len_utf8();
    let start = text[..end].rfind('%')?;
    let (mut edits, mut is_quoted, mut is_mark) = (Vec::new(), true, false);
    for (place, letter) in text[start..].char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            _ if !is_quoted && !letter.is_whitespace() && letter != '\\' => break,
            '%' if is_quoted && !is_mark => {
                let next = text[start + place + 1..].chars().next();
                if next.is_some_and(|next| next.is_ascii_alphabetic() || next == '_') {
                    edits.push(inserted(start + place, "%"));
                }
                // The second of two signs is not a separate mark.
                is_mark = next == Some('%');
            }
            _ => is_mark = false,
        }
    }
    (!edits.is_empty()).then_some(edits)
}

/// `template <> __device__ T f(int)` of a template that is for the host, too, with the name at
/// `at`: the specialization is for both.
fn specialization(text: &str, at: usize) -> Option<Vec<Edit>> {
    let start = text[..at].rfind("template")?;
    let (before, behind) = text[start..at].split_once('>')?;
    let is_empty = before["template".len()..].trim() == "<";
    let is_declaration = !behind.contains([';', '{', '}', '=']);
    let place = start + before.len() + 1;
    (is_empty && is_declaration).then(|| vec![inserted(place, " __host__ __device__")])
}

/// `asm("..." :: "r"(a) "l"(b))`, with an operand's text at `at`: a comma before it.
fn operand(text: &str, at: usize) -> Option<Vec<Edit>> {
    let statement = text[..at].rfind([';', '{', '}']).map_or(0, |end| end + 1);
    let before = text[statement..at].trim_end();
    // The code of a statement may have its own semicolons, in its quotes.
    let is_operand = text[at..].starts_with('"') && before.ends_with(')') && before.contains(':');
    is_operand.then(|| vec![inserted(statement + before.len(), ",")])
}

/// Joins three signs with white space between them. One of them is at `at`.
fn joined(text: &str, at: usize, sign: char) -> Option<Edit> {
    let is_part = |letter: char| letter == sign || letter.is_whitespace();
    let before = text[..at].trim_end_matches(is_part).len();
    let behind = text.len() - text[at..].trim_start_matches(is_part).len();
    let run = text[before..behind].trim();
    if run.matches(sign).count() != 3 {
        return None;
    }
    let start = before + text[before..behind].find(sign)?;
    let lines = "\n".repeat(run.matches('\n').count());
    let text = format!("{}{lines}", sign.to_string().repeat(3));
    Some(Edit { start, end: start + run.len(), text })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

    use super::*;

    /// The text with the error at `@` mended; `None` where it cannot be.
    fn mended(text: &str, words: &str) -> Option<String> {
        let at = text.find('@').unwrap();
        let source = text.replacen('@', "", 1);
        let line = text[..at].matches('\n').count() + 1;
        let column = at - text[..at].rfind('\n').map_or(0, |end| end + 1) + 1;
        let file = "a.cu".to_owned();
        let words = words.to_owned();
        let error = ErrorAt { file, line, column, words, definition: None, callee: None };
        let mended = applied(&source, &edit_for(&error, &source)?)?;
        assert_eq!(mended.matches('\n').count(), source.matches('\n').count());
        Some(mended)
    }

    #[test]
    fn a_shared_object_is_memory_and_a_reference_to_it() {
        let is = mended("{\n  __shared__ A<2, 3> @bar;\n}", SHARED).unwrap();
        let wanted = "{\n  __shared__ __warpsim_uninitialized<A<2, 3> > __warpsim_bytes_bar; \
                      auto &bar = __warpsim_bytes_bar.object();\n}";
        assert_eq!(is, wanted);
        let is = mended("static __shared__ T @a[2][N],\n b;", SHARED).unwrap();
        let wanted = "static __shared__ __warpsim_uninitialized<T [2][N]> __warpsim_bytes_a; \
                      auto &a = __warpsim_bytes_a.object(); \
                      __shared__ __warpsim_uninitialized<T > __warpsim_bytes_b; \
                      auto &b = __warpsim_bytes_b.object()\n;";
        assert_eq!(is, wanted);
    }

    #[test]
    fn a_directive_of_a_macro_is_an_operator() {
        let mended = |text: &str| {
            let column = text.find('#').unwrap() + text[1..].find('#').unwrap() + 2;
            applied(text, &directive(text, column - 1)?)
        };
        let is = mended("#define UNROLL #pragma unroll 4 // four\nint x;").unwrap();
        assert_eq!(is, "#define UNROLL _Pragma(\"unroll 4\") // four\nint x;");
        assert_eq!(
            mended("#define A #pragma unroll\n").unwrap(),
            "#define A _Pragma(\"unroll\") \n"
        );
        assert_eq!(mended("#define A #error x\n"), None);
        assert_eq!(mended("#define A #pragma unroll \\\n 3\n"), None);
    }

    #[test]
    fn an_object_with_an_initializer_stays() {
        assert_eq!(mended("__shared__ T @a = 3;", SHARED), None);
        assert_eq!(mended("__shared__ T @a{3};", SHARED), None);
        assert_eq!(mended("__shared__ T @a(3);", SHARED), None);
        assert_eq!(mended("T @a;", SHARED), None);
    }

    #[test]
    fn a_member_that_is_a_template_is_said_to_be_one() {
        let is = mended("@v<T, U>::cast<n>(a<b>::c);", OVERLOADED).unwrap();
        assert_eq!(is, "v<T, U>::template cast<n>(a<b>::c);");
        assert_eq!(mended("@f(x);", OVERLOADED), None);
        for words in TEMPLATE {
            let words = format!("{words} 'f' as one");
            assert_eq!(mended("a.@f<T>();", &words).unwrap(), "a.template f<T>();");
            assert_eq!(mended("@v<f>::f<T>();", &words).unwrap(), "v<f>::template f<T>();");
        }
    }

    #[test]
    fn signs_of_a_launch_are_put_together() {
        let is = mended("k << @< a, b > >\n > (x >> 2);", EXPRESSION).unwrap();
        assert_eq!(is, "k <<< a, b >>>\n (x >> 2);");
        let is = mended("k < @<< (a >> 1), b[c > d] >> > (x);", EXPRESSION).unwrap();
        assert_eq!(is, "k <<< (a >> 1), b[c > d] >>> (x);");
        assert_eq!(mended("a << @< b;", EXPRESSION), None);
        assert_eq!(mended("f(@);", EXPRESSION), None);
    }

    #[test]
    fn a_launch_in_device_code_is_a_call() {
        let text = "  ns::@k<T, 3><<<dim3(1, n >> 1),\n 2>>> (p, q);";
        let is = mended(text, KERNEL[1]).unwrap();
        let wanted = "  __warpsim_kernel<decltype(ns::k<T, 3>), ns::k<T, 3>>::with(dim3(1, n >> 1),\n \
                      2) (p, q);";
        assert_eq!(is, wanted);
        assert_eq!(mended("f(@k); g<<<1, 1>>>;", KERNEL[0]), None);
        assert_eq!(mended("@f(x, g<<<1, 1>>>(y));", KERNEL[1]), None);
    }

    #[test]
    fn the_name_of_a_register_in_assembly_has_its_sign_twice() {
        let is = mended(
            "asm(\"mov.u64 %0, %gl@obaltimer;\\n\"\n \"mov.u32 %1, %tid.x; %%p %_a\" : \"=l\"(x % y));",
            ESCAPE,
        );
        let wanted = "asm(\"mov.u64 %0, %%globaltimer;\\n\"\n \"mov.u32 %1, %%tid.x; %%p %%_a\" : \"=l\"(x % y));";
        assert_eq!(is.unwrap(), wanted);
        let macro_text = "#define T \"%0 %clock; \" \\\n \"%laneid\" : x";
        let error = ErrorAt {
            file: "a.cu".to_owned(),
            line: 7,
            column: 1,
            words: ESCAPE.to_owned(),
            definition: None,
            callee: None,
        };
        let place = Place { file: "a.h".to_owned(), line: 1, column: 17 };
        let edits = edit_of_macro(&error, &place, macro_text).unwrap();
        let wanted = "#define T \"%0 %%clock; \" \\\n \"%%laneid\" : x";
        assert_eq!(applied(macro_text, &edits).unwrap(), wanted);
        assert_eq!(mended("asm(\"%0 %@\" : x);", ESCAPE), None);
    }

    #[test]
    fn operands_of_assembly_have_commas_between_them() {
        let is = mended("asm(\"st [%1], %0;\" ::\"r\"(a[1]) @\"l\"(b) : \"m\");", PARENTHESIS);
        assert_eq!(is.unwrap(), "asm(\"st [%1], %0;\" ::\"r\"(a[1]), \"l\"(b) : \"m\");");
        assert_eq!(mended("f(g(x) @\"l\");", PARENTHESIS), None);
        assert_eq!(mended("f(c ? g(x) : h(y) @z);", PARENTHESIS), None);
    }

    #[test]
    fn a_specialization_is_for_host_and_device_as_its_template_is() {
        let is = mended("int a; template <> inline __device__ T<3> @f(int i) {}", SPECIALIZATION);
        let wanted = "int a; template <> __host__ __device__ inline __device__ T<3> f(int i) {}";
        assert_eq!(is.unwrap(), wanted);
        assert_eq!(mended("template <int N> void @f(int i) {}", SPECIALIZATION), None);
        assert_eq!(mended("template <> void g(); void @f(int i) {}", SPECIALIZATION), None);
    }

    #[test]
    fn a_function_of_the_host_that_device_code_calls_is_for_both() {
        let mended = |text: &str, column| {
            let place = Place { file: "a.cu".to_owned(), line: 1, column };
            edit_of_callee(&place, text).and_then(|edits| applied(text, &edits))
        };
        let wanted = "inline int __host__ __device__ f(int);";
        assert_eq!(mended("inline int f(int);", 12).unwrap(), wanted);
        let wanted = "int __host__ __device__ a::b::f() {}";
        assert_eq!(mended("int a::b::f() {}", 11).unwrap(), wanted);
        assert_eq!(mended("int (*f)();", 5), None);
    }

    #[test]
    fn other_errors_stay() {
        assert_eq!(mended("@x;", "use of undeclared identifier 'x'"), None);
    }
}
