//! A PTX kernel for each form of the table: it loads the operands of its thread, executes the
//! form, and stores the results.

use std::fmt::Write;

use super::harness::{destination_type, form};
use super::operands::{SETS, SOURCES, operands, register_bits};
use crate::isa::{Action, opcodes};
use crate::lanes::Role;
use crate::ptx::Type;

/// The text of every register form, all modifiers spelled out, sorted.
pub(super) fn forms() -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for opcode in opcodes() {
        for form in opcode.forms.iter().filter(|f| matches!(f.action, Action::Lanes { .. })) {
            let spelled = form.pattern.spelled();
            forms
                .extend(spelled.iter().map(|words| format!("{}.{}", opcode.name, words.join("."))));
        }
    }
    forms.sort();
    forms.dedup();
    forms
}

/// The types of a form's sources.
pub(super) fn source_types(text: &str) -> Vec<Type> {
    form(text).0.iter().filter_map(|role| role.source()).collect()
}

/// Whether a form has a second result: a predicate, or the carry.
pub(super) fn has_second_result(text: &str) -> bool {
    form(text).0.iter().any(|role| matches!(role, Role::DPair | Role::CarryOut))
}

/// The table that `lop3` is run with.
pub(super) const LOP3_TABLE: u64 = 0xca;

/// The type and the prefix of the registers of a size.
fn registers(bits: u32) -> (&'static str, &'static str) {
    match bits {
        1 => ("pred", "%p"),
        16 => ("b16", "%h"),
        64 => ("b64", "%d"),
        _ => ("b32", "%r"),
    }
}

/// The kernel named `k` and a number.
fn kernel(number: usize, text: &str) -> String {
    let (roles, _, _) = form(text);
    let (mut names, mut loads, mut source) = (Vec::new(), String::new(), 0);
    let mut destination = String::new();
    for (index, role) in roles.iter().enumerate() {
        let register = |ty, wide| format!("{}{index}", registers(register_bits(ty, wide)).1);
        match role {
            Role::D(ty) | Role::DWith(ty) => destination = register(*ty, false),
            Role::WideD(ty) => destination = register(*ty, true),
            Role::DPair | Role::DFirst => destination = register(Type::Pred, false),
            Role::CarryIn | Role::CarryOut | Role::True(_) => continue,
            _ if text.starts_with("lop3") && source == 3 => names.push(LOP3_TABLE.to_string()),
            _ => {
                let ty = role.source().unwrap();
                let name = register(ty, matches!(role, Role::WideA(_)));
                loads += &load(&name, source);
                names.push(name);
                source += 1;
            }
        }
        match role {
            Role::DPair => names.push(format!("{destination}|%p15")),
            Role::D(_) | Role::WideD(_) | Role::DWith(_) | Role::DFirst => {
                names.push(destination.clone())
            }
            _ => {}
        }
    }
    let instruction = format!("  {text} {};\n", names.join(", "));
    let body = loads + &with_carry(roles, &instruction) + &stores(roles, &destination);
    format!("{}{body}  ret;\n}}\n", HEAD.replace("NUMBER", &number.to_string()))
}

const HEAD: &str = "\
.visible .entry kNUMBER(.param .u64 source, .param .u64 target)
{
  .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .pred %p<16>;
  .reg .b32 %thread, %size, %block, %x, %carry; .reg .b64 %in, %out, %offset;
  ld.param.u64 %in, [source];
  ld.param.u64 %out, [target];
  mov.u32 %thread, %tid.x;
  mov.u32 %size, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %thread, %block, %size, %thread;
  mul.wide.u32 %offset, %thread, 8;
  add.u64 %in, %in, %offset;
  add.u64 %out, %out, %offset;
";

/// Loads a source into a register; a predicate is the low bit of its word.
fn load(name: &str, source: usize) -> String {
    let at = source * SETS * 8;
    let size = match &name[..2] {
        "%p" => {
            return format!(
                "  ld.global.b32 %x, [%in+{at}];\n  and.b32 %x, %x, 1;\n  setp.ne.u32 {name}, %x, 0;\n"
            );
        }
        "%h" => "b16",
        "%d" => "b64",
        _ => "b32",
    };
    format!("  ld.global.{size} {name}, [%in+{at}];\n")
}

/// The instruction between one that sets the carry to the low bit of the last source and one that
/// stores it.
fn with_carry(roles: &[Role], instruction: &str) -> String {
    let (reads, writes) = (roles.contains(&Role::CarryIn), roles.contains(&Role::CarryOut));
    let mut text = String::new();
    if reads || writes {
        let at = (SOURCES - 1) * SETS * 8;
        let _ = writeln!(text, "  ld.global.b32 %carry, [%in+{at}];\n  and.b32 %carry, %carry, 1;");
        text += "  add.cc.u32 %carry, %carry, 0xffffffff;\n";
    }
    text += instruction;
    if writes {
        let at = SETS * 8;
        let _ = writeln!(text, "  addc.u32 %carry, 0, 0;\n  st.global.b32 [%out+{at}], %carry;");
    }
    text
}

/// Stores the results, predicates as 0 or 1, the second after all of the first.
fn stores(roles: &[Role], destination: &str) -> String {
    let mut text = String::new();
    if roles.contains(&Role::DPair) {
        let at = SETS * 8;
        let _ = writeln!(text, "  selp.b32 %x, 1, 0, %p15;\n  st.global.b32 [%out+{at}], %x;");
    }
    if destination_type(roles) == Type::Pred {
        let _ = writeln!(text, "  selp.b32 %x, 1, 0, {destination};\n  st.global.b32 [%out], %x;");
    } else {
        let size = match &destination[..2] {
            "%h" => "b16",
            "%d" => "b64",
            _ => "b32",
        };
        let _ = writeln!(text, "  st.global.{size} [%out], {destination};");
    }
    text
}

/// The header, and a kernel for each form.
fn module(forms: &[String]) -> String {
    let head = ".version 8.8\n.target sm_90\n.address_size 64\n".to_owned();
    forms.iter().enumerate().fold(head, |text, (i, form)| text + &kernel(i, form))
}

#[test]
fn a_kernel_of_every_form_is_ptx_that_we_parse() {
    let forms: Vec<String> =
        forms().into_iter().filter(|f| !super::recorded::is_not_recorded(f)).collect();
    let text = module(&forms);
    let parsed = crate::ptx::parse("all.ptx", &text).unwrap();
    assert_eq!(parsed.items.len(), forms.len());
    if let Ok(folder) = std::env::var("WARPSIM_KERNELS") {
        write_all(std::path::Path::new(&folder), &forms, &text).unwrap();
    }
}

/// The module; a line for each form with the number of its operands; the operands.
fn write_all(folder: &std::path::Path, forms: &[String], text: &str) -> std::io::Result<()> {
    let (mut index, mut types, mut words) = (String::new(), Vec::new(), Vec::new());
    for form in forms {
        let wanted = source_types(form);
        let at = types.iter().position(|t| *t == wanted).unwrap_or_else(|| {
            words.extend(operands(&wanted).concat().iter().flat_map(|word| word.to_le_bytes()));
            types.push(wanted);
            types.len() - 1
        });
        let _ = writeln!(index, "{form} {at}");
    }
    std::fs::write(folder.join("all.ptx"), text)?;
    std::fs::write(folder.join("index.txt"), index)?;
    std::fs::write(folder.join("operands.bin"), words)
}
