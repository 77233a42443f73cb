//! The calls that the lines of clang's PTX were inlined into.
//!
//! clang gives them in DWARF alone (DWARF 2, 3.3.8 "Inlined Subroutines"). An inlined subroutine
//! has an entry with the position of the call and the labels around its instructions. This module
//! writes the calls where NVIDIA's compilers write them and `ptx::lines` reads them. That is beside
//! each line, as `.loc F L C, function_name N, inlined_at F L C` (PTX ISA 11.5.4). It removes the
//! DWARF, its labels, and the `debug` of `.target`, so the PTX is the same as without them.
//!
//! Where it can be wrong: an entry has one range, from the first of its instructions to the last.
//! An instruction of another function that the optimiser put in between counts as part of it.

use std::collections::HashMap;

use gimli::{DebugAbbrev, DebugInfo, EndianSlice, LittleEndian};

/// The name of the functions that were inlined, which no code reads here.
const NAME: &str = "$L__inlined";

/// A position: file, line, column.
type Position = (u64, u64, u64);

/// A subroutine that was inlined.
#[derive(Debug)]
struct Inlined {
    /// How many it is in.
    depth: isize,
    /// Lines of the text, the last one left out.
    lines: std::ops::Range<u64>,
    call: Position,
}

/// The text with its calls beside its lines, and without DWARF. A text whose DWARF is not
/// understood loses that alone.
pub(super) fn beside_lines(ptx: &str) -> String {
    let sections = Sections::of(ptx);
    let inlined = sections.inlined().unwrap_or_default();
    let mut text = String::with_capacity(ptx.len());
    let mut is_named = false;
    let mut last: Vec<Position> = Vec::new();
    let mut is_in_section = false;
    for (line, number) in ptx.lines().zip(0..) {
        let words = line.trim();
        if is_in_section {
            is_in_section = words != "}";
            continue;
        }
        if words.starts_with(".section") {
            is_in_section = !words.ends_with('}');
            continue;
        }
        if is_temporary_label(words) {
            continue;
        }
        if let Some(position) = words.strip_prefix(".loc").and_then(position) {
            let mut calls: Vec<&Inlined> =
                inlined.iter().filter(|one| one.lines.contains(&number)).collect();
            calls.sort_by_key(|one| one.depth);
            let calls: Vec<Position> = calls.into_iter().map(|one| one.call).collect();
            is_named |= !calls.is_empty();
            // Readers look for the call of a call at the lines before it.
            let outer = if calls == last { calls.len() } else { 0 };
            for index in outer..calls.len() {
                add_line(&mut text, calls[index], calls[..index].last());
            }
            add_line(&mut text, position, calls.last());
            last = calls;
            continue;
        }
        match words.strip_prefix(".target").and_then(|rest| rest.strip_suffix(", debug")) {
            Some(target) => text += &format!(".target{target}"),
            None => text += line,
        }
        text.push('\n');
    }
    if is_named {
        text += &format!("\t.section\t.debug_str\n\t{{\n{NAME}:\n.b8 0\n\t}}\n");
    }
    text
}

fn add_line(text: &mut String, (file, line, column): Position, call: Option<&Position>) {
    *text += &format!("\t.loc\t{file} {line} {column}");
    if let Some((file, line, column)) = call {
        *text += &format!(", function_name {NAME}, inlined_at {file} {line} {column}");
    }
    text.push('\n');
}

/// ` 1 2 3`, with a comment or none.
fn position(words: &str) -> Option<Position> {
    let mut numbers = words.split_whitespace().map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some((next()?, next()?, next()?))
}

/// Whether a line is a label that only DWARF speaks of.
fn is_temporary_label(line: &str) -> bool {
    let name = line.trim_start_matches('$').strip_suffix(':');
    let number =
        name.and_then(|name| name.strip_prefix("L__tmp").or_else(|| name.strip_prefix("Ltmp")));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The sections of a text as bytes, little end first. The address of a label is its line.
#[derive(Debug, Default)]
struct Sections {
    abbreviations: Vec<u8>,
    info: Vec<u8>,
}

impl Sections {
    fn of(ptx: &str) -> Sections {
        let mut sections = Sections::default();
        let label =
            |(line, number): (&str, u64)| Some((line.trim().strip_suffix(':')?.to_owned(), number));
        let labels: HashMap<String, u64> = ptx.lines().zip(0..).filter_map(label).collect();
        let mut name = None;
        for line in ptx.lines().map(str::trim) {
            if let Some(section) = line.strip_prefix(".section") {
                name = section.split_whitespace().next();
                continue;
            }
            let bytes = match name {
                Some(".debug_abbrev") => &mut sections.abbreviations,
                Some(".debug_info") => &mut sections.info,
                Some(_) | None => continue,
            };
            let Some((directive, values)) = line.split_once(char::is_whitespace) else { continue };
            let width = match directive {
                ".b8" => 1,
                ".b16" => 2,
                ".b32" => 4,
                ".b64" => 8,
                _ => continue,
            };
            let values = values.split("//").next().unwrap_or_default();
            for value in values.split(',').map(str::trim) {
                // Other sections begin at 0. Unknown names count as 0, too.
                let number = value.parse::<i128>().ok().map(|n| n as u64);
                let number = number.or_else(|| labels.get(value).copied()).unwrap_or(0);
                bytes.extend(&number.to_le_bytes()[..width]);
            }
        }
        sections
    }

    /// The inlined subroutines of all functions; `None` where something is not as it should be.
    fn inlined(&self) -> Option<Vec<Inlined>> {
        let info = DebugInfo::new(&self.info, LittleEndian);
        let abbreviations = DebugAbbrev::new(&self.abbreviations, LittleEndian);
        let mut found = Vec::new();
        let mut units = info.units();
        while let Some(unit) = units.next().ok()? {
            let known = unit.abbreviations(&abbreviations).ok()?;
            let mut entries = unit.entries(&known);
            while let Some(entry) = entries.next_dfs().ok()? {
                if entry.tag() == gimli::DW_TAG_inlined_subroutine {
                    found.extend(inlined(entry));
                }
            }
        }
        Some(found)
    }
}

type Entry<'a> = gimli::DebuggingInformationEntry<EndianSlice<'a, LittleEndian>>;

fn inlined(entry: &Entry<'_>) -> Option<Inlined> {
    let address = |name| match entry.attr_value(name)? {
        gimli::AttributeValue::Addr(address) => Some(address),
        _ => None,
    };
    let number = |name| entry.attr_value(name)?.udata_value();
    let file = match entry.attr_value(gimli::DW_AT_call_file)? {
        gimli::AttributeValue::FileIndex(file) => file,
        other => other.udata_value()?,
    };
    Some(Inlined {
        depth: entry.depth(),
        lines: address(gimli::DW_AT_low_pc)?..address(gimli::DW_AT_high_pc)?,
        call: (
            file,
            number(gimli::DW_AT_call_line)?,
            number(gimli::DW_AT_call_column).unwrap_or(0),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What clang 19 writes for a kernel of `inl.cu` that calls a function of line 1 twice, at
    /// columns 10 of lines 3 and 4; without its comments, and with the bytes of a row on one line.
    const PTX: &str = ".version 7.5
.target sm_80, debug
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<3>;
$L__func_begin0:
	.loc	1 2 0
	ld.param.u64 	%rd1, [k_param_0];
$L__tmp0:
	.loc	1 1 86
	ld.volatile.global.u32 	%r1, [%rd1];
	.loc	1 1 104                         // inl.cu:1:104
	add.s32 	%r2, %r1, 1;
$L__tmp1:
	.loc	1 3 8
	st.global.u32 	[%rd1+4], %r2;
$L__tmp2:
	.loc	1 1 86
	ld.volatile.global.u32 	%r3, [%rd1+28];
$L__tmp3:
	.loc	1 4 8
	st.global.u32 	[%rd1+8], %r3;
	ret;
$L__tmp4:
$L__func_end0:
}
	.file	1 \"/home/me/inl.cu\"
	.section	.debug_abbrev
	{
.b8 1,17,1,37,8,19,5,3,8,16,6,27,8,17,1,18,1,0,0,2,46,0,3,8,32,11,0,0,3,46,1,17,1,18,1,3,8,0,0,4,29,0,49,19
.b8 17,1,18,1,88,11,89,11,87,11,0,0,0
	}
	.section	.debug_info
	{
.b32 159                                // Length of Unit
.b8 2,0
.b32 .debug_abbrev
.b8 8,1,68,101,98,105,97,110,32,99,108,97,110,103,32,118,101,114,115,105,111,110,32,49,57,46,49,46,55,32,40,51
.b8 126,100,101,98,49,50,117,49,41,0,33,0,105,110,108,46,99,117,0
.b32 .debug_line
.b8 47,116,109,112,47,97,100,118,0
.b64 $L__func_begin0
.b64 $L__func_end0
.b8 2,102,0,1,3
.b64 $L__func_begin0
.b64 $L__func_end0
.b8 107,0,4
.b32 90
.b64 $L__tmp0
.b64 $L__tmp1
.b8 1,3,10,4
.b32 90
.b64 $L__tmp2
.b64 $L__tmp3
.b8 1,4,10,0,0
	}
	.section	.debug_loc	{	}
";

    /// The positions of the instructions of a text, as the simulator reads them.
    fn lines(ptx: &str) -> Vec<(u32, Vec<u32>)> {
        let module = warpsim::ptx::parse("k.ptx", ptx).unwrap();
        let map = warpsim::ptx::SourceMap::of(&module);
        let position = |id| map.position(warpsim::ptx::InstId(id));
        let line = |at: &warpsim::ptx::SourcePosition| {
            (at.line, at.inlined_at.iter().map(|call| call.line).collect())
        };
        (0..module.next_inst).filter_map(position).map(line).collect()
    }

    #[test]
    fn each_line_of_an_inlined_function_names_its_call() {
        let text = beside_lines(PTX);
        let expected = [
            (2, vec![]),
            (1, vec![3]),
            (1, vec![3]),
            (3, vec![]),
            (1, vec![4]),
            (4, vec![]),
            (4, vec![]),
        ];
        assert_eq!(lines(&text), expected, "{text}");
        assert!(!text.contains("debug_info") && !text.contains("$L__tmp"), "{text}");
        assert!(text.contains(".target sm_80\n"), "{text}");
    }

    #[test]
    fn a_text_without_dwarf_stays_as_it_is_and_dwarf_that_is_cut_short_costs_the_calls_alone() {
        let without = ".version 7.5\n.target sm_80\n.address_size 64\n.entry k()\n{\n\t.loc\t1 2 0\n\tret;\n}\n";
        assert_eq!(beside_lines(without), without);
        let cut = PTX.replace(".b8 1,4,10,0,0\n", "");
        assert!(lines(&beside_lines(&cut)).iter().all(|(_, calls)| calls.len() < 2));
        let other = PTX.replace(".b8 17,1,18,1,88", ".b8 17,99,18,1,88");
        assert!(lines(&beside_lines(&other)).iter().all(|(_, calls)| calls.is_empty()));
    }
}
