//! A batch on a device.
//!
//! Programs read their operands from one table and leave their results in one buffer of zeros. A
//! separate kernel sums up every section, so that only digests leave a GPU, and makes the buffer
//! zero again.

use warpsim::host::{
    Argument, Device, DeviceError, DeviceProfile, Launch, ModuleHandle, Pointer, Simulator,
};
use warpsim::ptx::{self, Module};
use warpsim::report::Outcome;

use super::batch::Batch;

const DIGEST: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry digest(.param .u64 words, .param .u64 sections, .param .u64 digests)
{
  .reg .pred %q; .reg .u32 %t, %n, %b; .reg .u64 %w, %s, %o, %at, %end, %i, %x, %y, %z, %sum, %step;
  ld.param.u64 %w, [words]; ld.param.u64 %s, [sections]; ld.param.u64 %o, [digests];
  mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %b, %ctaid.x;
  mul.wide.u32 %x, %b, 16; add.u64 %s, %s, %x;
  ld.global.v2.u64 {%at, %end}, [%s];
  mul.wide.u32 %x, %b, 8; add.u64 %o, %o, %x;
  cvt.u64.u32 %i, %t; cvt.u64.u32 %step, %n; mov.u64 %sum, 0;
again:
  setp.ge.u64 %q, %i, %end;
  @%q bra done;
  add.u64 %x, %at, %i; shl.b64 %x, %x, 3; add.u64 %x, %x, %w;
  ld.global.u64 %z, [%x];
  mov.u64 %y, 0; st.global.u64 [%x], %y;
  add.u64 %y, %i, 1; mad.lo.u64 %z, %y, 0x9e3779b97f4a7c15, %z;
  shr.u64 %y, %z, 30; xor.b64 %z, %z, %y; mul.lo.u64 %z, %z, 0xbf58476d1ce4e5b9;
  shr.u64 %y, %z, 27; xor.b64 %z, %z, %y; mul.lo.u64 %z, %z, 0x94d049bb133111eb;
  shr.u64 %y, %z, 31; xor.b64 %z, %z, %y;
  add.u64 %sum, %sum, %z;
  add.u64 %i, %i, %step;
  bra again;
done:
  red.global.add.u64 [%o], %sum;
  ret;
}
";

/// The digest of a section, as the kernel computes it.
pub fn digest(words: &[u64]) -> u64 {
    let mixed = |(i, word): (usize, &u64)| {
        let z = word.wrapping_add((i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    words.iter().enumerate().map(mixed).fold(0, u64::wrapping_add)
}

/// The digest of a whole program.
pub fn digest_of_all(sections: &[u64]) -> u64 {
    digest(sections)
}

/// What a program left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// The digests of its sections.
    Digests(Vec<u64>),
    /// It did not end as it should.
    Stopped(String),
    /// Another program of its batch stopped, and nothing is known of this one.
    NotRun,
}

/// Why a whole batch did not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The module was refused, with the reason.
    Refused(String),
    /// The device failed otherwise.
    Device(String),
}

/// A device with what the batches need on it.
pub struct Target<D> {
    /// The device.
    pub device: D,
    table: Vec<u64>,
    ready: Option<Ready>,
}

#[derive(Clone, Copy, Debug)]
struct Ready {
    table: Pointer,
    digest: ModuleHandle,
    words: Pointer,
    capacity: usize,
    sections: Pointer,
    digests: Pointer,
}

/// Sections that a batch may have.
const SECTIONS: usize = 1 << 14;

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|b| b.try_into().map_or(0, u64::from_le_bytes)).collect()
}

/// The module of a batch.
///
/// # Errors
/// The text is no PTX to us, with the first places.
pub fn parsed(batch: &Batch) -> Result<Module, Failure> {
    ptx::parse("batch.ptx", &batch.text()).map_err(|e| Failure::Refused(e.to_string()))
}

impl<D: Device> Target<D> {
    /// A device, which nothing has been put on yet.
    pub fn new(device: D, table: Vec<u64>) -> Target<D> {
        Target { device, table, ready: None }
    }

    /// Everything on the device is gone.
    pub fn lost(&mut self) {
        self.ready = None;
    }

    fn ready(&mut self, capacity: usize) -> Result<Ready, DeviceError> {
        if let Some(ready) = self.ready
            && ready.capacity >= capacity
        {
            return Ok(ready);
        }
        let device = &mut self.device;
        let capacity = capacity.max(1 << 20);
        let module = ptx::parse("digest.ptx", DIGEST).expect("it is PTX");
        let table = device.allocate(self.table.len() as u64 * 8)?;
        device.upload(table, &bytes(&self.table))?;
        let words = device.allocate(capacity as u64 * 8)?;
        device.upload(words, &vec![0; capacity * 8])?;
        let ready = Ready {
            table,
            digest: device.load(&module)?,
            words,
            capacity,
            sections: device.allocate(SECTIONS as u64 * 16)?,
            digests: device.allocate(SECTIONS as u64 * 8)?,
        };
        self.ready = Some(ready);
        Ok(ready)
    }

    /// Launches all programs of a batch; gives why one stopped, in their order.
    fn launch(&mut self, batch: &Batch) -> Result<(Ready, Vec<Option<String>>), Failure> {
        let failed = |e: DeviceError| Failure::Device(e.to_string());
        let module = parsed(batch)?;
        let ready = self.ready(batch.words()).map_err(failed)?;
        let loaded = self.device.load(&module).map_err(|e| match e {
            DeviceError::Lost => failed(e),
            _ => Failure::Refused(e.to_string()),
        })?;
        let (mut at, mut stopped) = (0, Vec::new());
        for (i, written) in batch.written.iter().enumerate() {
            let out = ready.words.offset(at as u64 * 8);
            let buffers = [ready.table, out];
            let (arguments, made) = written.arguments(&mut self.device, buffers).map_err(failed)?;
            for kernel in written.kernels(&format!("p{i}")) {
                let report = self
                    .device
                    .launch(loaded, &kernel, &written.launch, &arguments)
                    .map_err(failed)?;
                if report.outcome != Outcome::Completed {
                    let why = report.findings.first().map_or("", |f| &f.explanation);
                    stopped.push(Some(format!("{}: {why}", report.outcome)));
                    return Ok((ready, stopped));
                }
            }
            stopped.push(None);
            made.into_iter().try_for_each(|texels| self.device.free(texels)).map_err(failed)?;
            at += written.words();
        }
        Ok((ready, stopped))
    }

    /// Runs a batch and gives the digests of every program's sections.
    ///
    /// # Errors
    /// The module was refused, or the device failed.
    pub fn digests(&mut self, batch: &Batch) -> Result<Vec<Left>, Failure> {
        let result = self.try_digests(batch);
        if result.is_err() {
            self.lost();
        }
        result
    }

    fn try_digests(&mut self, batch: &Batch) -> Result<Vec<Left>, Failure> {
        let failed = |e: DeviceError| Failure::Device(e.to_string());
        let (ready, stopped) = self.launch(batch)?;
        if let Some(Some(why)) = stopped.last() {
            self.lost();
            let mut left = vec![Left::NotRun; batch.programs.len()];
            left[stopped.len() - 1] = Left::Stopped(why.clone());
            return Ok(left);
        }
        let (mut sections, mut at) = (Vec::new(), 0);
        for section in batch.written.iter().flat_map(|w| &w.sections) {
            sections.extend([at as u64, section.words as u64]);
            at += section.words;
        }
        let count = sections.len() / 2;
        assert!(count <= SECTIONS, "fewer sections");
        self.device.upload(ready.sections, &bytes(&sections)).map_err(failed)?;
        self.device.upload(ready.digests, &vec![0; count * 8]).map_err(failed)?;
        let arguments = [ready.words, ready.sections, ready.digests].map(Argument::Pointer);
        let launch = Launch::new(count as u32, 128);
        let report =
            self.device.launch(ready.digest, "digest", &launch, &arguments).map_err(failed)?;
        if report.outcome != Outcome::Completed {
            return Err(Failure::Device(format!("the digests: {}", report.outcome)));
        }
        let mut found = vec![0; count * 8];
        self.device.download(ready.digests, &mut found).map_err(failed)?;
        let mut found = words(&found).into_iter();
        let of = |w: &super::program::Written| {
            Left::Digests(found.by_ref().take(w.sections.len()).collect())
        };
        Ok(batch.written.iter().map(of).collect())
    }

    /// Runs a batch and gives all words that it left.
    ///
    /// # Errors
    /// The module was refused, the device failed, or a program did not end as it should.
    pub fn words(&mut self, batch: &Batch) -> Result<Vec<u64>, Failure> {
        let result = self.try_words(batch);
        if result.is_err() {
            self.lost();
        }
        result
    }

    fn try_words(&mut self, batch: &Batch) -> Result<Vec<u64>, Failure> {
        let failed = |e: DeviceError| Failure::Device(e.to_string());
        let (ready, stopped) = self.launch(batch)?;
        if let Some(Some(why)) = stopped.last() {
            return Err(Failure::Device(why.clone()));
        }
        let mut found = vec![0; batch.words() * 8];
        self.device.download(ready.words, &mut found).map_err(failed)?;
        self.device.upload(ready.words, &vec![0; found.len()]).map_err(failed)?;
        Ok(words(&found))
    }

    /// Uses another table of operands.
    pub fn with_table(&mut self, table: Vec<u64>) -> Vec<u64> {
        self.lost();
        std::mem::replace(&mut self.table, table)
    }
}

/// All words that a batch leaves on the simulator.
///
/// # Errors
/// What [`Target::words`] says.
pub fn simulated(batch: &Batch, table: &[u64]) -> Result<Vec<u64>, Failure> {
    simulated_under(batch, table, "in-order")
}

/// The same under a schedule.
///
/// # Errors
/// What [`Target::words`] says.
pub fn simulated_under(batch: &Batch, table: &[u64], schedule: &str) -> Result<Vec<u64>, Failure> {
    let mut simulator = Simulator::new(DeviceProfile::h200());
    let settings = simulator.settings_mut();
    settings.max_steps = warpsim_effort::cases(20_000_000, 400_000_000);
    settings.schedule = schedule
        .parse()
        .map_err(|e: warpsim::schedule::ScheduleError| Failure::Device(e.to_string()))?;
    Target { device: simulator, table: table.to_vec(), ready: None }.words(batch)
}

/// The digests of what a batch left.
pub fn digests_of(batch: &Batch, words: &[u64]) -> Vec<Vec<u64>> {
    let mut at = 0;
    let mut section = |words_of: usize| {
        at += words_of;
        digest(&words[at - words_of..at])
    };
    batch.written.iter().map(|w| w.sections.iter().map(|s| section(s.words)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::operands;
    use crate::differential::{Family, Forms};

    #[test]
    fn the_kernel_that_digests_and_the_host_agree_and_the_buffer_is_zero_again() {
        let forms = Forms::of_the_table();
        let table = operands::table(1);
        let batch = Batch::drawn(Family::Straight, &forms, 1, 0, 2);
        let expected = digests_of(&batch, &simulated(&batch, &table).unwrap());
        let mut target = Target::new(Simulator::default(), table);
        for _ in 0..2 {
            let found = target.digests(&batch).unwrap();
            assert_eq!(found, expected.iter().cloned().map(Left::Digests).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_digest_of_a_section_changes_with_any_bit_and_any_place() {
        let words: Vec<u64> = (0..100).collect();
        let right = digest(&words);
        for bit in 0..64 {
            let mut wrong = words.clone();
            wrong[57] ^= 1 << bit;
            assert_ne!(digest(&wrong), right);
        }
        let mut swapped = words.clone();
        swapped.swap(3, 4);
        assert_ne!(digest(&swapped), right);
    }
}
