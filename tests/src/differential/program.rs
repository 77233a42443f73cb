//! One program of any family: how it is drawn, written, and made smaller.

use warpsim::host::{Argument, Device, DeviceError, Launch, Pointer, Sampler, Texels};

use super::draw::Draw;
use super::forms::Forms;
use super::single::Single;
use super::straight::{self, Straight};
use super::structured::{Kind, Structured};

/// The families of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Straight-line programs of all register forms whose bits are defined.
    Straight,
    /// Single approximate instructions, whose error is measured.
    Approximate,
    /// Branches, loops, switches, calls, exits and predicated instructions.
    Divergence,
    /// Shared, local, constant and generic memory of every width.
    Memory,
    /// Exchanges through shared memory between barriers of all kinds.
    Barriers,
    /// Shuffles, votes, matches and reductions of warps and parts of warps.
    Warps,
    /// Atomics and reductions, on common cells and on each thread's own.
    Atomics,
    /// Asynchronous copies, with groups, waits and mbarrier objects.
    Copies,
    /// Single instructions that do more than compute, in every form.
    Single,
    /// The same in branches, loops and switches.
    Branched,
    /// Lookups of textures and accesses to surfaces.
    Images,
    /// Memory through addresses whose upper halves hold anything, and functions that call
    /// themselves.
    Addresses,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 12] = [
        Family::Straight,
        Family::Approximate,
        Family::Divergence,
        Family::Memory,
        Family::Barriers,
        Family::Warps,
        Family::Atomics,
        Family::Copies,
        Family::Single,
        Family::Branched,
        Family::Images,
        Family::Addresses,
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Family::Straight => "straight",
            Family::Approximate => "approximate",
            Family::Divergence => "divergence",
            Family::Memory => "memory",
            Family::Barriers => "barriers",
            Family::Warps => "warps",
            Family::Atomics => "atomics",
            Family::Copies => "copies",
            Family::Single => "single",
            Family::Branched => "branched",
            Family::Images => "images",
            Family::Addresses => "addresses",
        }
    }

    /// The family of this name.
    pub fn named(name: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.name() == name)
    }

    /// How many programs of a hundred are of this family when all are drawn.
    pub fn share(self) -> u64 {
        match self {
            Family::Straight => 50,
            Family::Approximate => 2,
            _ => 8,
        }
    }

    /// Whether programs of this family can be drawn from these forms.
    pub fn can_be_drawn_from(self, forms: &Forms) -> bool {
        match self {
            Family::Straight => !forms.exact.is_empty(),
            Family::Approximate => !forms.approximate.is_empty(),
            Family::Divergence
            | Family::Memory
            | Family::Barriers
            | Family::Warps
            | Family::Atomics
            | Family::Copies
            | Family::Addresses => true,
            Family::Single => !forms.single.is_empty(),
            Family::Branched => !forms.branched.is_empty(),
            Family::Images => !forms.images.is_empty(),
        }
    }

    /// The program of this number. From the forms it [can be drawn](Family::can_be_drawn_from).
    pub fn program(self, forms: &Forms, seed: u64, index: u64) -> Program {
        let mut draw = Draw::new(&[seed, self as u64, index]);
        let structured =
            |kind, mut draw: Draw| Program::Structured(Structured::drawn(kind, &mut draw));
        match self {
            Family::Straight => Program::Straight(straight::drawn(forms, seed, index, &mut draw)),
            Family::Approximate => {
                Program::Straight(straight::drawn_approximate(forms, index, &mut draw))
            }
            Family::Divergence => structured(Kind::Divergence, draw),
            Family::Memory => structured(Kind::Memory, draw),
            Family::Barriers => structured(Kind::Barriers, draw),
            Family::Warps => structured(Kind::Warps, draw),
            Family::Atomics => structured(Kind::Atomics, draw),
            Family::Copies => structured(Kind::Copies, draw),
            Family::Addresses => structured(Kind::Addresses, draw),
            Family::Single => Program::Single(Single::drawn(&forms.single, seed, index, &mut draw)),
            Family::Branched => {
                let entries = &forms.branched;
                Program::Single(Single::drawn_in_branches(entries, seed, index, &mut draw))
            }
            Family::Images => Program::Single(Single::drawn(&forms.images, seed, index, &mut draw)),
        }
    }
}

/// A program.
#[derive(Clone, Debug)]
pub enum Program {
    /// Without branches.
    Straight(Straight),
    /// With them.
    Structured(Structured),
    /// Of instructions that do more than compute.
    Single(Single),
}

/// A program as PTX: what belongs before the kernel, the kernel, and what it leaves.
#[derive(Clone, Debug)]
pub struct Written {
    /// Functions and variables, then `.visible .entry NAME(.param .u64 table, .param .u64 out)`.
    pub text: String,
    /// How it is launched.
    pub launch: Launch,
    /// The memory that it leaves behind `out`, one section after the other. Each section has its
    /// own digest.
    pub sections: Vec<Section>,
    /// Textures and surfaces, whose handles are further parameters.
    pub images: Vec<Image>,
    /// A kernel that is launched after it with the same arguments, where one is.
    pub afterwards: Option<String>,
}

/// A texture, or a surface, that a program takes.
#[derive(Clone, Debug)]
pub struct Image {
    /// Its texels.
    pub texels: Texels,
    /// How it is looked up; `None`: it is a surface.
    pub sampler: Option<Sampler>,
    /// What its texels are.
    pub bytes: Vec<u8>,
}

/// Words that belong together: what one instruction or statement gave in all threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The form, or what a section of a structured program is.
    pub label: String,
    /// 64-bit words.
    pub words: usize,
}

impl Written {
    /// A program that has nothing but memory.
    pub fn of_memory(text: String, launch: Launch, sections: Vec<Section>) -> Written {
        Written { text, launch, sections, images: Vec::new(), afterwards: None }
    }

    /// The kernels of a program that was [written](Program::write) with this name, in turn.
    pub fn kernels(&self, name: &str) -> Vec<String> {
        std::iter::once(name.to_owned()).chain(self.afterwards.clone()).collect()
    }

    /// Makes the images of a program. Returns the arguments of its kernels, and the memory to free
    /// after the launches.
    ///
    /// # Errors
    /// What the device says.
    pub fn arguments(
        &self,
        device: &mut dyn Device,
        buffers: [Pointer; 2],
    ) -> Result<(Vec<Argument>, Vec<Pointer>), DeviceError> {
        let (mut arguments, mut made) = (buffers.map(Argument::Pointer).to_vec(), Vec::new());
        for Image { texels, sampler, bytes } in &self.images {
            let image = match sampler {
                Some(sampler) => device.texture(texels, *sampler, bytes),
                None => device.surface(texels, bytes),
            }?;
            arguments.push(Argument::U64(image.handle));
            made.push(image.texels);
        }
        Ok((arguments, made))
    }

    /// 64-bit words behind `out`.
    pub fn words(&self) -> usize {
        self.sections.iter().map(|section| section.words).sum()
    }
}

impl Program {
    /// As PTX, with a kernel of this name; other names begin with it.
    pub fn write(&self, name: &str) -> Written {
        match self {
            Program::Straight(program) => program.write(name),
            Program::Structured(program) => program.write(name),
            Program::Single(program) => program.write(name),
        }
    }

    /// How many parts can be taken out.
    pub fn parts(&self) -> usize {
        match self {
            Program::Straight(program) => program.steps.len(),
            Program::Structured(program) => program.parts(),
            Program::Single(program) => program.steps.len(),
        }
    }

    /// The same without some parts; what used their results uses something else.
    #[must_use]
    pub fn without(&self, parts: std::ops::Range<usize>) -> Program {
        match self {
            Program::Straight(program) => Program::Straight(program.without(parts)),
            Program::Structured(program) => Program::Structured(program.without(parts)),
            Program::Single(program) => Program::Single(program.without(parts)),
        }
    }
}
