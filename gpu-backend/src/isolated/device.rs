//! The parent's [`Device`]: every method is a question to the child.
//!
//! The time limit for an answer depends on the question. A question that may wait for a kernel has
//! the time limit of the settings. Compiling a module has [`GENEROUS`]. Moving data has more by its
//! size.

use std::time::Duration;

use warpsim::host::{
    Argument, Device, DeviceError, Download, Ended, Event, ImageHandle, Launch, LaunchHandle,
    ModuleHandle, Pointer, Sampler, Stream, StreamKind, Texels,
};
use warpsim::lower;
use warpsim::ptx::{self, Module};
use warpsim::report::{Code, Counts, Finding, Outcome, Report, Severity};

use super::Isolated;
use super::generations::Generation;
use super::messages::{Answer, Call, Request};
use super::worker::{GENEROUS, Gone, Worker};

/// Bytes a second that data is moved with at least.
const SLOWEST: u64 = 50 << 20;

/// An answer that came, or what came instead.
enum Asked {
    Answered(Answer, Vec<u8>),
    Gone(Gone),
}

impl Isolated {
    /// Asks the child. One that turns out to have ended, or to have lost everything, is no reason
    /// not to begin anew. (It is not certain whether it ended before the question: its socket is
    /// open a moment longer. If the question itself ends it, the next child ends too.)
    fn ask_for(
        &self,
        request: &Request,
        body: &[u8],
        limit: Duration,
    ) -> Result<Asked, DeviceError> {
        match self.ask_once(request, body, limit) {
            Err(DeviceError::Lost) | Ok(Asked::Gone(Gone::NotAsked | Gone::Ended(_)))
                if request.begins_anew() =>
            {
                self.ask_once(request, body, limit)
            }
            asked => asked,
        }
    }

    /// Asks the child, which is started when there is none. When there is no answer, or one that
    /// says so, everything is lost when this returns.
    fn ask_once(
        &self,
        request: &Request,
        body: &[u8],
        limit: Duration,
    ) -> Result<Asked, DeviceError> {
        // Nobody else holds it: the function that is called here cannot reach `self`.
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let worker = match &mut state.worker {
            Some(worker) => worker,
            none => {
                let (worker, _) = Worker::start(&self.settings, self.stand_in.as_deref())
                    .map_err(|error| DeviceError::Driver(error.to_string()))?;
                none.insert(worker)
            }
        };
        match worker.ask(request, body, limit) {
            Ok((Answer::Refused { error }, _)) => {
                if error == DeviceError::Lost {
                    state.lose();
                }
                Err(error)
            }
            Ok((answer, bytes)) => Ok(Asked::Answered(answer, bytes)),
            Err(gone) => {
                state.lose();
                Ok(Asked::Gone(gone))
            }
        }
    }

    /// Sends a request that may wait for a kernel. `moved` is the number of bytes that come and go.
    fn ask(
        &self,
        request: &Request,
        body: &[u8],
        moved: usize,
    ) -> Result<(Answer, Vec<u8>), DeviceError> {
        let moving = u64::try_from(moved).unwrap_or(u64::MAX) / SLOWEST;
        let limit = self.settings.timeout.saturating_add(Duration::from_secs(moving));
        match self.ask_for(request, body, limit)? {
            Asked::Answered(Answer::NotLowered { words }, _) => Err(DeviceError::Driver(words)),
            Asked::Answered(answer, bytes) => Ok((answer, bytes)),
            Asked::Gone(Gone::Nonsense) => Err(self.nonsense()),
            Asked::Gone(_) => Err(DeviceError::Lost),
        }
    }

    /// Sends a request that has no answer except that it is done.
    fn tell(&self, request: &Request, body: &[u8]) -> Result<(), DeviceError> {
        match self.ask(request, body, body.len())?.0 {
            Answer::Done => Ok(()),
            _ => Err(self.nonsense()),
        }
    }

    /// The child answers what was not asked.
    fn nonsense(&self) -> DeviceError {
        // Nobody else holds it: `ask_once` has returned.
        self.state.borrow_mut().lose();
        let words = "the process that runs the GPU gave an answer that makes no sense";
        DeviceError::Driver(words.to_owned())
    }

    /// What belongs to the child that runs now.
    fn generation(&mut self) -> &mut Generation {
        &mut self.state.get_mut().generation
    }

    /// A launch in the child's handles.
    fn call(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Call, DeviceError> {
        let generation = self.generation();
        let module = generation.modules.childs(module)?;
        for argument in arguments {
            argument.pointers().try_for_each(|pointer| generation.memory.check(pointer))?;
        }
        let (kernel, arguments) = (kernel.to_owned(), arguments.to_vec());
        Ok(Call { module, kernel, launch: *launch, arguments })
    }

    /// Everything is lost when a launch did not end well.
    fn judge(&mut self, report: &Report) {
        if report.outcome != Outcome::Completed {
            self.state.get_mut().lose();
        }
    }

    /// Asks for a texture or a surface of this many bytes.
    fn image(
        &mut self,
        request: &Request,
        texels: &Texels,
        bytes: &[u8],
    ) -> Result<ImageHandle, DeviceError> {
        texels.check(bytes)?;
        let (Answer::Image { image }, _) = self.ask(request, bytes, bytes.len())? else {
            return Err(self.nonsense());
        };
        self.generation().memory.allocated(image.texels, texels.bytes());
        Ok(image)
    }

    /// Waits for launches that were issued.
    fn synchronised(&mut self, request: &Request) -> Result<Vec<Ended>, DeviceError> {
        let (Answer::Ended { mut ended }, _) = self.ask(request, &[], 0)? else {
            return Err(self.nonsense());
        };
        for one in &mut ended {
            one.launch = self.generation().launches.given(one.launch);
        }
        for one in &ended {
            self.judge(&one.report);
        }
        Ok(ended)
    }
}

/// The report of a launch that the child could not report.
fn instead(outcome: Outcome, code: Code, words: String) -> Report {
    let findings = vec![Finding::new(Severity::Error, code, words)];
    Report::new(outcome, Counts::default()).with_findings(findings)
}

/// "10 s", "0.5 s".
fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

impl Device for Isolated {
    fn name(&self) -> String {
        self.facts.name.clone()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        let (Answer::Pointer { pointer }, _) = self.ask(&Request::Allocate { bytes }, &[], 0)?
        else {
            return Err(self.nonsense());
        };
        self.generation().memory.allocated(pointer, bytes);
        Ok(pointer)
    }

    fn allocate_host(&mut self, bytes: u64) -> Result<Pointer, DeviceError> {
        let request = Request::AllocateHost { bytes };
        let (Answer::Pointer { pointer }, _) = self.ask(&request, &[], 0)? else {
            return Err(self.nonsense());
        };
        self.generation().memory.allocated(pointer, bytes);
        Ok(pointer)
    }

    fn host_write(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.generation().memory.check(to)?;
        self.tell(&Request::HostWrite { to }, bytes)
    }

    fn host_read(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.generation().memory.check(from)?;
        let request = Request::HostRead { from, bytes: into.len() };
        match self.ask(&request, &[], into.len())? {
            (Answer::Done, bytes) if bytes.len() == into.len() => {
                into.copy_from_slice(&bytes);
                Ok(())
            }
            _ => Err(self.nonsense()),
        }
    }

    fn copy_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        from: Pointer,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        self.generation().memory.check(to)?;
        self.generation().memory.check(from)?;
        let stream = self.generation().childs_stream(stream)?;
        self.tell(&Request::CopyAsync { stream, to, from, bytes }, &[])
    }

    fn free(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        self.generation().memory.check(pointer)?;
        self.tell(&Request::Free { pointer }, &[])?;
        self.generation().memory.freed(pointer);
        Ok(())
    }

    fn upload(&mut self, to: Pointer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.generation().memory.check(to)?;
        self.tell(&Request::Upload { to }, bytes)
    }

    fn define(&mut self, start: Pointer, bytes: u64) -> Result<(), DeviceError> {
        self.generation().memory.check(start)?;
        self.tell(&Request::Define { start, bytes }, &[])
    }

    fn download(&mut self, from: Pointer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.generation().memory.check(from)?;
        let request = Request::Download { from, bytes: into.len() };
        match self.ask(&request, &[], into.len())? {
            (Answer::Done, bytes) if bytes.len() == into.len() => {
                into.copy_from_slice(&bytes);
                Ok(())
            }
            _ => Err(self.nonsense()),
        }
    }

    fn load(&mut self, module: &Module) -> Result<ModuleHandle, DeviceError> {
        let texts = match ptx::linked_files(module) {
            Some(files) => {
                files.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
            }
            None => vec![(module.source.name().to_owned(), ptx::print(module))],
        };
        let request = Request::Load { texts, jit: self.settings.jit.level() };
        match self.ask_for(&request, &[], GENEROUS)? {
            Asked::Answered(Answer::Module { module }, _) => {
                Ok(self.generation().modules.given(module))
            }
            // The child knows the text that was printed; the places in the caller's are known here.
            Asked::Answered(Answer::NotLowered { words }, _) => {
                let refused = lower::place(module).err();
                Err(refused.map_or(DeviceError::Driver(words), DeviceError::Program))
            }
            Asked::Answered(..) | Asked::Gone(Gone::Nonsense) => Err(self.nonsense()),
            Asked::Gone(Gone::TimedOut) => Err(DeviceError::Driver(format!(
                "the driver did not load the module within {}",
                seconds(GENEROUS)
            ))),
            Asked::Gone(Gone::Ended(how)) => {
                Err(DeviceError::Driver(format!("the process that loaded the module {how}")))
            }
            Asked::Gone(Gone::NotAsked) => Err(DeviceError::Lost),
        }
    }

    fn variable(&self, module: ModuleHandle, name: &str) -> Result<(Pointer, u64), DeviceError> {
        let module = self.state.borrow().generation.modules.childs(module)?;
        let request = Request::Variable { module, name: name.to_owned() };
        let (Answer::Variable { pointer, bytes }, _) = self.ask(&request, &[], 0)? else {
            return Err(self.nonsense());
        };
        self.state.borrow_mut().generation.memory.allocated(pointer, bytes);
        Ok((pointer, bytes))
    }

    fn launch(
        &mut self,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<Report, DeviceError> {
        let call = self.call(module, kernel, launch, arguments)?;
        let limit = self.settings.timeout;
        match self.ask_for(&Request::Launch { call }, &[], limit)? {
            Asked::Answered(Answer::Report { report }, _) => {
                self.judge(&report);
                Ok(report)
            }
            Asked::Answered(Answer::NotLowered { words }, _) => Err(DeviceError::Driver(words)),
            Asked::Gone(Gone::TimedOut) => {
                let words = format!("the GPU did not end within {}", seconds(limit));
                Ok(instead(Outcome::Hung, Code::Hung, words))
            }
            Asked::Gone(Gone::Ended(how)) => {
                let words = format!("the process that ran it {how}");
                Ok(instead(Outcome::Fault, Code::Fault, words))
            }
            Asked::Gone(Gone::NotAsked) => Err(DeviceError::Lost),
            Asked::Answered(..) | Asked::Gone(Gone::Nonsense) => Err(self.nonsense()),
        }
    }

    fn texture(
        &mut self,
        texels: &Texels,
        sampler: Sampler,
        bytes: &[u8],
    ) -> Result<ImageHandle, DeviceError> {
        self.image(&Request::Texture { texels: texels.clone(), sampler }, texels, bytes)
    }

    fn surface(&mut self, texels: &Texels, bytes: &[u8]) -> Result<ImageHandle, DeviceError> {
        self.image(&Request::Surface { texels: texels.clone() }, texels, bytes)
    }

    fn stream(&mut self, kind: StreamKind) -> Result<Stream, DeviceError> {
        let (Answer::Stream { stream }, _) = self.ask(&Request::Stream { kind }, &[], 0)? else {
            return Err(self.nonsense());
        };
        Ok(self.generation().given_stream(stream))
    }

    fn event(&mut self) -> Result<Event, DeviceError> {
        let (Answer::Event { event }, _) = self.ask(&Request::Event, &[], 0)? else {
            return Err(self.nonsense());
        };
        Ok(self.generation().events.given(event))
    }

    fn launch_on(
        &mut self,
        stream: Stream,
        module: ModuleHandle,
        kernel: &str,
        launch: &Launch,
        arguments: &[Argument],
    ) -> Result<LaunchHandle, DeviceError> {
        let stream = self.generation().childs_stream(stream)?;
        let call = self.call(module, kernel, launch, arguments)?;
        let (Answer::Launch { launch }, _) =
            self.ask(&Request::LaunchOn { stream, call }, &[], 0)?
        else {
            return Err(self.nonsense());
        };
        Ok(self.generation().launches.given(launch))
    }

    fn upload_async(
        &mut self,
        stream: Stream,
        to: Pointer,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        self.generation().memory.check(to)?;
        let stream = self.generation().childs_stream(stream)?;
        self.tell(&Request::UploadAsync { stream, to }, bytes)
    }

    fn download_async(
        &mut self,
        stream: Stream,
        from: Pointer,
        bytes: usize,
    ) -> Result<Download, DeviceError> {
        self.generation().memory.check(from)?;
        let stream = self.generation().childs_stream(stream)?;
        let request = Request::DownloadAsync { stream, from, bytes };
        let (Answer::Copy { download }, _) = self.ask(&request, &[], 0)? else {
            return Err(self.nonsense());
        };
        Ok(self.generation().copies.given(download))
    }

    fn fetch(&mut self, download: Download) -> Result<Vec<u8>, DeviceError> {
        let download = self.generation().copies.childs(download)?;
        match self.ask(&Request::Fetch { download }, &[], 0)? {
            (Answer::Done, bytes) => Ok(bytes),
            _ => Err(self.nonsense()),
        }
    }

    fn record(&mut self, event: Event, stream: Stream) -> Result<(), DeviceError> {
        let event = self.generation().events.childs(event)?;
        let stream = self.generation().childs_stream(stream)?;
        self.tell(&Request::Record { event, stream }, &[])
    }

    fn wait(&mut self, stream: Stream, event: Event) -> Result<(), DeviceError> {
        let event = self.generation().events.childs(event)?;
        let stream = self.generation().childs_stream(stream)?;
        self.tell(&Request::Wait { stream, event }, &[])
    }

    fn elapsed(&mut self, start: Event, end: Event) -> Result<Duration, DeviceError> {
        let events = &self.generation().events;
        let (start, end) = (events.childs(start)?, events.childs(end)?);
        match self.ask(&Request::Elapsed { start, end }, &[], 0)? {
            (Answer::Elapsed { time }, _) => Ok(time),
            _ => Err(self.nonsense()),
        }
    }

    fn synchronise(&mut self) -> Result<Vec<Ended>, DeviceError> {
        self.synchronised(&Request::Synchronise)
    }

    fn synchronise_stream(&mut self, stream: Stream) -> Result<Vec<Ended>, DeviceError> {
        let stream = self.generation().childs_stream(stream)?;
        self.synchronised(&Request::SynchroniseStream { stream })
    }

    fn synchronise_event(&mut self, event: Event) -> Result<Vec<Ended>, DeviceError> {
        let event = self.generation().events.childs(event)?;
        self.synchronised(&Request::SynchroniseEvent { event })
    }
}
