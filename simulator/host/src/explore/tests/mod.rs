//! The explored results against an independent enumeration of interleavings; differences, replays.

mod differences;
mod exhaustive;
mod model;
mod parts;
mod places;

use super::{Digest, Explored, LaunchRequest};
use crate::report::Report;
use crate::{Argument, Device, Launch, Pointer, Simulator};

/// A module on a device with a buffer of zeros.
struct Bench {
    gpu: Simulator,
    request: LaunchRequest,
    buffer: Pointer,
    words: usize,
}

impl Bench {
    /// A kernel whose one argument is a buffer of this many words.
    fn new(text: &str, launch: Launch, words: usize) -> Bench {
        let mut gpu = Simulator::default();
        let module = crate::ptx::parse("test.ptx", text).unwrap();
        let kernel = crate::kernels(&module)[0].to_owned();
        let module = gpu.load(&module).unwrap();
        let buffer = gpu.allocate(words as u64 * 4).unwrap();
        let request = LaunchRequest::new(module, &kernel, launch, &[Argument::Pointer(buffer)]);
        Bench { gpu, request, buffer, words }
    }

    fn launch(&mut self, schedule: &str) -> (Simulator, Report) {
        let mut gpu = self.gpu.fork();
        gpu.settings_mut().schedule = schedule.parse().unwrap();
        let LaunchRequest { module, kernel, launch, arguments, .. } = &self.request;
        let report = gpu.launch(*module, kernel, launch, arguments).unwrap();
        (gpu, report)
    }

    /// All that a schedule leaves in memory.
    fn digest(&mut self, schedule: &str) -> Digest {
        Digest::of(self.launch(schedule).0.global())
    }

    /// What a schedule leaves in the buffer, and how it ends.
    fn run(&mut self, schedule: &str) -> (&'static str, Vec<u32>) {
        let (mut gpu, report) = self.launch(schedule);
        let mut bytes = vec![0; self.words * 4];
        gpu.download(self.buffer, &mut bytes).unwrap();
        let word = |b: &[u8]| u32::from_le_bytes(b.try_into().unwrap());
        (report.outcome.name(), bytes.chunks_exact(4).map(word).collect())
    }

    /// Replays every result that was found. The replay must give the reported result.
    fn results(&mut self, explored: &Explored) -> std::collections::BTreeSet<Option<Vec<u32>>> {
        let mut results = std::collections::BTreeSet::new();
        for found in &explored.outcomes {
            let (outcome, words) = self.run(&found.replay);
            assert_eq!(outcome, found.outcome.name(), "{}", found.replay);
            if let Some(digest) = found.digest {
                assert_eq!(self.digest(&found.replay), digest, "{}", found.replay);
            }
            results.insert((outcome == "completed").then_some(words));
        }
        assert_eq!(
            results.len(),
            explored.outcomes.len(),
            "the results differ as they were told to"
        );
        results
    }
}
