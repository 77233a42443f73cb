//! Whether a program looks at the result of a call, by the machine code behind the call (System V
//! ABI for x86-64: a function returns an integer in `eax`, which the caller may then overwrite).
//!
//! The instructions behind the call are followed, both ways at a condition, until one reads the
//! register or writes it. A call of another function may leave anything there, so it ends the way.
//! A return goes on behind the call of the function that returns. A value that is stored somewhere
//! counts as looked at, whatever becomes of it.
//!
//! In which direction it can be wrong: it may call a result looked at that is not. A value that is
//! stored and never compared counts; so does a stale value that another function saves without a
//! need. Some code cannot be followed: a jump through a table, code that cannot be read, too many
//! instructions, another processor. That is [`Returned::Unknown`].

/// What becomes of a value that a call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returned {
    /// An instruction reads it.
    Read,
    /// Nothing does.
    Dropped,
    /// It is not known.
    Unknown,
}

/// Follows the code from where a call returns to. `returns` has the return addresses of the active
/// functions, the innermost first. `code` reads the program's code at an address, and says how many
/// bytes there are.
pub(crate) fn looked_at(
    returns: &[usize],
    code: &mut dyn FnMut(usize, &mut [u8]) -> usize,
) -> Returned {
    follow::from(returns, code)
}

#[cfg(not(target_arch = "x86_64"))]
mod follow {
    use super::Returned;

    /// Of another processor nothing is known.
    pub(super) fn from(_: &[usize], _: &mut dyn FnMut(usize, &mut [u8]) -> usize) -> Returned {
        Returned::Unknown
    }
}

#[cfg(target_arch = "x86_64")]
mod follow {
    use std::collections::BTreeSet;

    use iced_x86::{
        Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, OpAccess,
        Register,
    };

    use super::Returned;

    /// Instructions that are followed, at most.
    const MOST: usize = 256;

    /// Bytes of an instruction, at most.
    const LONGEST: usize = 15;

    /// What an instruction means to the way.
    enum Step {
        /// The way ends.
        End(Returned),
        /// It goes on there.
        To(u64),
        /// It goes on at both.
        Fork(u64, u64),
        /// It goes on behind the call of the function that returns.
        Return,
    }

    pub(super) fn from(
        returns: &[usize],
        code: &mut dyn FnMut(usize, &mut [u8]) -> usize,
    ) -> Returned {
        let mut infos = InstructionInfoFactory::new();
        let mut seen = BTreeSet::new();
        let Some(first) = returns.first() else { return Returned::Unknown };
        // Each way: an address, and how many functions have returned.
        let mut ways = vec![(*first as u64, 0)];
        let mut answer = Returned::Dropped;
        while let Some((at, depth)) = ways.pop() {
            if !seen.insert((at, depth)) {
                continue;
            }
            let mut bytes = [0; LONGEST];
            let size = code(at as usize, &mut bytes);
            let bytes = bytes.get(..size).unwrap_or_default();
            let instruction = Decoder::with_ip(64, bytes, at, DecoderOptions::NONE).decode();
            let step = match seen.len() > MOST || instruction.is_invalid() {
                true => Step::End(Returned::Unknown),
                false => step(&instruction, &mut infos),
            };
            match step {
                Step::End(Returned::Read) => return Returned::Read,
                Step::End(Returned::Unknown) => answer = Returned::Unknown,
                Step::End(Returned::Dropped) => {}
                Step::To(next) => ways.push((next, depth)),
                Step::Fork(one, other) => ways.extend([(one, depth), (other, depth)]),
                Step::Return => match returns.get(depth + 1) {
                    Some(next) => ways.push((*next as u64, depth + 1)),
                    None => answer = Returned::Unknown,
                },
            }
        }
        answer
    }

    fn step(instruction: &Instruction, infos: &mut InstructionInfoFactory) -> Step {
        let (mut is_read, mut is_written) = (false, false);
        for used in infos.info(instruction).used_registers() {
            if used.register().full_register() != Register::RAX {
                continue;
            }
            match used.access() {
                OpAccess::Read
                | OpAccess::CondRead
                | OpAccess::ReadWrite
                | OpAccess::ReadCondWrite => {
                    is_read = true;
                }
                OpAccess::Write => is_written = true,
                OpAccess::None | OpAccess::CondWrite | OpAccess::NoMemAccess => {}
            }
        }
        let target = instruction.near_branch_target();
        match instruction.flow_control() {
            _ if is_read => Step::End(Returned::Read),
            // A function that is called may leave anything there.
            FlowControl::Call | FlowControl::IndirectCall => Step::End(Returned::Dropped),
            // The program ends there.
            FlowControl::Exception => Step::End(Returned::Dropped),
            _ if is_written => Step::End(Returned::Dropped),
            FlowControl::Next => Step::To(instruction.next_ip()),
            FlowControl::UnconditionalBranch => Step::To(target),
            FlowControl::ConditionalBranch => Step::Fork(instruction.next_ip(), target),
            FlowControl::Return => Step::Return,
            // A jump to a function of another object, through the table of those, calls it: its
            // arguments are elsewhere.
            FlowControl::IndirectBranch if instruction.is_ip_rel_memory_operand() => {
                Step::End(Returned::Dropped)
            }
            FlowControl::IndirectBranch
            | FlowControl::Interrupt
            | FlowControl::XbeginXabortXend => Step::End(Returned::Unknown),
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::{Returned, looked_at};

    /// Code at address 0x1000, and what becomes of the value that a call before it returned.
    /// Further pieces of code are what functions return to, at 0x2000 and so on.
    fn of(code: &[&[u8]]) -> Returned {
        let returns: Vec<usize> = (1..=code.len()).map(|n| n << 12).collect();
        looked_at(&returns, &mut |address, into| {
            let piece = code.get((address >> 12) - 1).copied().unwrap_or_default();
            let rest = piece.get(address & 0xfff..).unwrap_or_default();
            let size = rest.len().min(into.len());
            into[..size].copy_from_slice(&rest[..size]);
            size
        })
    }

    const RET: u8 = 0xc3;
    const CALL: &[u8] = &[0xe8, 0, 0, 0, 0];

    #[test]
    fn a_value_that_is_stored_compared_or_moved_is_looked_at() {
        let stored: &[u8] = &[0x89, 0x45, 0xfc]; // mov [rbp-4], eax
        let compared: &[u8] = &[0x85, 0xc0]; // test eax, eax
        let moved: &[u8] = &[0x89, 0xc3]; // mov ebx, eax
        let narrow: &[u8] = &[0x0f, 0xb6, 0xc8]; // movzx ecx, al
        for code in [stored, compared, moved, narrow] {
            assert_eq!(of(&[code]), Returned::Read, "{code:x?}");
            // Behind instructions that leave the register alone: mov rdi, [rbp-8]; lea rsi, [rip].
            let before: &[u8] = &[0x48, 0x8b, 0x7d, 0xf8, 0x48, 0x8d, 0x35, 0, 0, 0, 0];
            assert_eq!(of(&[&[before, code].concat()]), Returned::Read, "{code:x?}");
        }
    }

    #[test]
    fn a_value_that_is_written_over_or_behind_which_another_function_is_called_is_dropped() {
        let cleared: &[u8] = &[0x31, 0xc0]; // xor eax, eax
        let set: &[u8] = &[0xb8, 1, 0, 0, 0]; // mov eax, 1
        let no_vectors: &[u8] = &[0xb0, 0]; // mov al, 0, before a call with `...`
        let loaded: &[u8] = &[0x48, 0x8b, 0x45, 0xf8]; // mov rax, [rbp-8]
        let taken: &[u8] = &[0x58]; // pop rax
        let jump: &[u8] = &[0xff, 0x25, 0, 0, 0, 0]; // jmp [rip], to another object
        let ud2: &[u8] = &[0x0f, 0x0b];
        for code in [cleared, set, no_vectors, loaded, taken, CALL, jump, ud2] {
            assert_eq!(of(&[&[code, &[0x85, 0xc0]].concat()]), Returned::Dropped, "{code:x?}");
        }
    }

    #[test]
    fn a_function_that_returns_hands_the_value_on_to_the_one_that_called_it() {
        let leave: &[u8] = &[0x48, 0x83, 0xc4, 8, RET]; // add rsp, 8; ret
        assert_eq!(of(&[leave, &[0x85, 0xc0]]), Returned::Read);
        assert_eq!(of(&[leave, CALL]), Returned::Dropped);
        assert_eq!(of(&[leave, leave, &[0x31, 0xc0]]), Returned::Dropped);
        assert_eq!(of(&[leave]), Returned::Unknown);
    }

    #[test]
    fn both_ways_of_a_condition_are_followed_and_loops_end() {
        // test ebx, ebx; je +2; xor eax, eax | test eax, eax
        let one_reads: &[u8] = &[0x85, 0xdb, 0x74, 0x02, 0x31, 0xc0, 0x85, 0xc0];
        assert_eq!(of(&[one_reads]), Returned::Read);
        // The same with a call where the other way goes.
        let none: &[u8] = &[0x85, 0xdb, 0x74, 0x02, 0x31, 0xc0, 0xe8, 0, 0, 0, 0];
        assert_eq!(of(&[none]), Returned::Dropped);
        // dec ebx; jne back; call
        let back: &[u8] = &[0xff, 0xcb, 0x75, 0xfc, 0xe8, 0, 0, 0, 0];
        assert_eq!(of(&[back]), Returned::Dropped);
        // jmp itself: nothing is ever read.
        assert_eq!(of(&[&[0xeb, 0xfe]]), Returned::Dropped);
    }

    #[test]
    fn what_cannot_be_followed_is_unknown() {
        assert_eq!(of(&[]), Returned::Unknown);
        assert_eq!(of(&[&[]]), Returned::Unknown);
        assert_eq!(of(&[&[0xff, 0xe1]]), Returned::Unknown); // jmp rcx
        assert_eq!(of(&[&[0x90; 4000]]), Returned::Unknown);
    }
}
