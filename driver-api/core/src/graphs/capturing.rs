//! Streams that are captured (CUDA driver API, `cuStreamBeginCapture` and the functions after it;
//! CUDA programming guide, "Creating a Graph Using Stream Capture").
//!
//! Work that is issued to a stream becomes a node behind the last nodes of the stream. An event
//! that is recorded there represents these nodes; a stream that waits for it is captured, too. Work
//! that cannot be captured makes the capture invalid, and its end answers so.
//!
//! Deviations: a wait for an event outside the capture, and an external record or wait, are
//! refused. The calls that are unsafe during a capture are the ones that the documentation names
//! (allocation, freeing, waiting, asking).

use std::collections::{BTreeMap, BTreeSet};

use warpsim::host::Stream;

use super::{GraphTask, HostCall};
use crate::state::{Call, Kind, bug};
use crate::{Answer, CudaError, DefaultStream, Handle};

/// How a capture treats unsafe calls (`CUstreamCaptureMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in `cuda.h`")]
pub enum CaptureMode {
    #[default]
    Global,
    ThreadLocal,
    Relaxed,
}

impl CaptureMode {
    /// The mode with this number.
    pub fn of_number(number: u32) -> Option<CaptureMode> {
        Some(match number {
            0 => CaptureMode::Global,
            1 => CaptureMode::ThreadLocal,
            2 => CaptureMode::Relaxed,
            3.. => return None,
        })
    }
}

/// The facts about a stream's capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureFacts {
    /// Whether it is still valid.
    pub is_valid: bool,
    /// Its number.
    pub number: u64,
    /// The graph that it makes.
    pub graph: Handle,
    /// The stream's last nodes.
    pub last: Vec<Handle>,
}

/// A capture.
#[derive(Debug)]
struct Capture {
    graph: Handle,
    /// The program gave the graph, and keeps it.
    is_given: bool,
    mode: CaptureMode,
    context: Handle,
    thread: u64,
    origin: usize,
    is_valid: bool,
    /// The last nodes of each stream.
    last: BTreeMap<usize, BTreeSet<Handle>>,
    /// The last nodes of streams that were destroyed.
    left: BTreeSet<Handle>,
}

/// All captures.
#[derive(Debug, Default)]
pub(crate) struct Captures {
    by_number: BTreeMap<u64, Capture>,
    /// The capture of a stream, by the stream's number on the device.
    of_stream: BTreeMap<usize, u64>,
    /// Events that represent nodes: the capture, and which nodes.
    events: BTreeMap<Handle, (u64, BTreeSet<Handle>)>,
}

impl Captures {
    fn of(&self, stream: Stream) -> Option<(u64, &Capture)> {
        let number = *self.of_stream.get(&stream.number())?;
        Some((number, self.by_number.get(&number)?))
    }

    fn of_mut(&mut self, stream: Stream) -> Option<&mut Capture> {
        self.by_number.get_mut(self.of_stream.get(&stream.number())?)
    }

    /// How many there are, and how many events represent nodes.
    #[cfg(test)]
    pub(crate) fn live(&self) -> (usize, usize) {
        (self.by_number.len().max(self.of_stream.len()), self.events.len())
    }

    /// An event was destroyed.
    pub(crate) fn forget_event(&mut self, event: Handle) {
        self.events.remove(&event);
    }

    fn spoil(&mut self, number: u64) {
        if let Some(capture) = self.by_number.get_mut(&number) {
            capture.is_valid = false;
        }
    }
}

impl Call<'_> {
    /// A number that no other thread has.
    fn thread(&mut self) -> u64 {
        match self.caller.number {
            Some(number) => number,
            None => {
                let number = self.state.handle(Kind::Graph);
                self.caller.number = Some(number);
                number
            }
        }
    }

    /// `cuThreadExchangeStreamCaptureMode`: gives the mode before.
    pub fn exchange_capture_mode(&mut self, mode: CaptureMode) -> CaptureMode {
        std::mem::replace(&mut self.caller.capture_mode, mode)
    }

    /// `cuStreamBeginCapture`; into a graph, behind some of its nodes, if one is given.
    ///
    /// # Errors
    /// The stream is the legacy one, or is captured; there is no such graph or node.
    pub fn begin_capture(
        &mut self,
        stream: Handle,
        default: DefaultStream,
        mode: CaptureMode,
        into: Option<(Handle, Vec<Handle>)>,
    ) -> Answer<()> {
        let context = self.context()?;
        let stream = self.stream(stream, default)?;
        if stream == Stream::DEFAULT {
            return Err(CudaError::StreamCaptureImplicit);
        }
        if self.state.graphs.captures.of(stream).is_some() {
            return Err(CudaError::IllegalState);
        }
        let is_given = into.is_some();
        let (graph, last) = match into {
            Some((graph, behind)) => {
                let nodes = &self.state.graphs.graph(graph)?.nodes;
                if behind.iter().any(|node| !nodes.contains_key(node)) {
                    return Err(CudaError::InvalidValue);
                }
                (graph, behind.into_iter().collect())
            }
            None => (self.create_graph(), BTreeSet::new()),
        };
        let (thread, number) = (self.thread(), self.state.handle(Kind::Graph));
        let origin = stream.number();
        let last = BTreeMap::from([(origin, last)]);
        let is_valid = true;
        let left = BTreeSet::new();
        let capture =
            Capture { graph, is_given, mode, context, thread, origin, is_valid, last, left };
        let captures = &mut self.state.graphs.captures;
        captures.by_number.insert(number, capture);
        captures.of_stream.insert(origin, number);
        Ok(())
    }

    /// `cuStreamEndCapture`: gives the graph.
    ///
    /// # Errors
    /// The stream did not begin a capture, another thread began it, or it is invalid. Or nodes of
    /// another stream do not come before this stream's last nodes.
    pub fn end_capture(&mut self, stream: Handle, default: DefaultStream) -> Answer<Handle> {
        let stream = self.stream(stream, default)?;
        let thread = self.thread();
        let captures = &mut self.state.graphs.captures;
        let (number, known) = captures.of(stream).ok_or(CudaError::IllegalState)?;
        if known.origin != stream.number() {
            captures.spoil(number);
            return Err(CudaError::StreamCaptureUnmatched);
        }
        if known.mode != CaptureMode::Relaxed && known.thread != thread {
            return Err(CudaError::StreamCaptureWrongThread);
        }
        let is_joined = self.is_joined(number)?;
        let captures = &mut self.state.graphs.captures;
        captures.of_stream.retain(|_, of| *of != number);
        captures.events.retain(|_, (of, _)| *of != number);
        let capture = captures.by_number.remove(&number).ok_or(CudaError::Unknown)?;
        let wrong = match (capture.is_valid, is_joined) {
            (true, true) => return Ok(capture.graph),
            (true, false) => CudaError::StreamCaptureUnjoined,
            (false, _) => CudaError::StreamCaptureInvalidated,
        };
        if !capture.is_given {
            self.state.graphs.forget(capture.graph);
        }
        Err(wrong)
    }

    /// Whether the last nodes of all streams come before the last of the first one, or are those.
    fn is_joined(&self, number: u64) -> Answer<bool> {
        let Some(capture) = self.state.graphs.captures.by_number.get(&number) else {
            return Err(bug(self, "a capture of a stream that is unknown"));
        };
        // The program may have destroyed its graph.
        let Ok(graph) = self.state.graphs.graph(capture.graph) else { return Ok(false) };
        let ends = self.last_of(capture, capture.origin)?.clone();
        let (mut before, mut waiting) = (ends.clone(), Vec::from_iter(ends));
        while let Some(node) = waiting.pop() {
            waiting.extend(graph.before(node).filter(|node| before.insert(*node)));
        }
        let mut all = capture.last.values().chain([&capture.left]);
        Ok(all.all(|last| last.is_subset(&before)))
    }

    /// The last nodes of a stream that a capture has. One that joined it has some list, empty or
    /// not.
    fn last_of<'a>(&'a self, capture: &'a Capture, stream: usize) -> Answer<&'a BTreeSet<Handle>> {
        let last = capture.last.get(&stream);
        last.ok_or_else(|| bug(self, "a captured stream has no list of its last nodes"))
    }

    /// The capture of a stream that is captured, its number, and the stream's last nodes.
    fn capture_of(&self, stream: Stream) -> Answer<(u64, &Capture, &BTreeSet<Handle>)> {
        let found = self.state.graphs.captures.of(stream);
        let (number, capture) =
            found.ok_or_else(|| bug(self, "a captured stream has no capture"))?;
        Ok((number, capture, self.last_of(capture, stream.number())?))
    }

    /// The facts about a stream's capture; `None` if it is not captured.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn capture_facts(
        &mut self,
        stream: Handle,
        default: DefaultStream,
    ) -> Answer<Option<CaptureFacts>> {
        let stream = self.stream(stream, default)?;
        if self.state.graphs.captures.of(stream).is_none() {
            return Ok(None);
        }
        let (number, capture, last) = self.capture_of(stream)?;
        let last = last.iter().copied().collect();
        let Capture { is_valid, graph, .. } = *capture;
        Ok(Some(CaptureFacts { is_valid, number, graph, last }))
    }

    /// `cuStreamUpdateCaptureDependencies`: adds to a stream's last nodes, or replaces them.
    ///
    /// # Errors
    /// The stream is not captured, or a node is not of its graph.
    pub fn update_capture(
        &mut self,
        stream: Handle,
        default: DefaultStream,
        nodes: &[Handle],
        is_added: bool,
    ) -> Answer<()> {
        let stream = self.stream(stream, default)?;
        let (_, capture) = self.state.graphs.captures.of(stream).ok_or(CudaError::IllegalState)?;
        let known = &self.state.graphs.graph(capture.graph)?.nodes;
        if nodes.iter().any(|node| !known.contains_key(node)) {
            return Err(CudaError::InvalidValue);
        }
        let mut last = match is_added {
            true => self.capture_of(stream)?.2.clone(),
            false => BTreeSet::new(),
        };
        last.extend(nodes);
        self.set_last(stream, last)
    }

    /// Whether work that is issued to a stream is captured.
    ///
    /// # Errors
    /// The capture is invalid. Or the stream is the legacy one, and a stream that waits for it is
    /// captured. That capture is invalid from then on.
    pub(crate) fn is_captured(&mut self, stream: Stream) -> Answer<bool> {
        let captures = &mut self.state.graphs.captures;
        if captures.by_number.is_empty() {
            return Ok(false);
        }
        match captures.of(stream) {
            Some((_, capture)) if capture.is_valid => return Ok(true),
            Some(_) => return Err(CudaError::StreamCaptureInvalidated),
            None => {}
        }
        if stream != Stream::DEFAULT {
            return Ok(false);
        }
        let independent = self.state.streams.values().filter(|state| !state.is_blocking());
        let independent: BTreeSet<usize> = independent.map(|s| s.stream.number()).collect();
        let captures = &mut self.state.graphs.captures;
        let held = captures.of_stream.iter().filter(|(stream, _)| !independent.contains(stream));
        let held: BTreeSet<u64> = held.map(|(_, number)| *number).collect();
        for number in &held {
            captures.spoil(*number);
        }
        if held.is_empty() { Ok(false) } else { Err(CudaError::StreamCaptureImplicit) }
    }

    /// Captures a task that is issued to a stream, if the stream is captured. Returns whether it
    /// is.
    ///
    /// # Errors
    /// It cannot be captured, or the capture is invalid.
    pub(crate) fn capture(
        &mut self,
        stream: Stream,
        task: impl FnOnce() -> GraphTask,
    ) -> Answer<bool> {
        if !self.is_captured(stream)? {
            return Ok(false);
        }
        let (number, &Capture { graph, .. }, last) = self.capture_of(stream)?;
        let nodes = &self.state.graphs.graph(graph)?.nodes;
        // A node may have been destroyed since.
        let behind = last.iter().copied().filter(|node| nodes.contains_key(node));
        let behind: Vec<Handle> = behind.collect();
        let node = self.add_node(graph, &behind, task());
        if node.is_err() {
            self.state.graphs.captures.spoil(number);
        }
        self.set_last(stream, BTreeSet::from([node?]))?;
        Ok(true)
    }

    /// These are the last nodes of a stream that is captured.
    fn set_last(&mut self, stream: Stream, last: BTreeSet<Handle>) -> Answer<()> {
        match self.state.graphs.captures.of_mut(stream) {
            Some(capture) => {
                capture.last.insert(stream.number(), last);
                Ok(())
            }
            None => Err(bug(self, "a captured stream has no capture")),
        }
    }

    /// `cuLaunchHostFunc`: captures a function of the program, if the stream is captured. Gives
    /// whether it is.
    ///
    /// # Errors
    /// There is no such stream, or its capture is invalid.
    pub fn capture_host(
        &mut self,
        stream: Handle,
        default: DefaultStream,
        called: HostCall,
    ) -> Answer<bool> {
        let stream = self.stream(stream, default)?;
        self.capture(stream, || GraphTask::Host(called))
    }

    /// Refuses a call that cannot be captured.
    ///
    /// # Errors
    /// The stream is captured; the capture is invalid from then on.
    pub fn refuse_captured(&mut self, stream: Stream) -> Answer<()> {
        if !self.is_captured(stream)? {
            return Ok(());
        }
        if let Some(capture) = self.state.graphs.captures.of_mut(stream) {
            capture.is_valid = false;
        }
        Err(CudaError::StreamCaptureUnsupported)
    }

    /// Refuses a call that is unsafe while a stream is captured.
    ///
    /// # Errors
    /// A capture that forbids this call is under way. It is invalid from then on.
    pub(crate) fn refuse_unsafe(&mut self) -> Answer<()> {
        if self.state.graphs.captures.by_number.is_empty() {
            return Ok(());
        }
        let (thread, mode) = (self.thread(), self.caller.capture_mode);
        let captures = &mut self.state.graphs.captures.by_number;
        let hit = captures.values_mut().filter(|capture| match (mode, capture.mode) {
            (CaptureMode::Relaxed, _) | (_, CaptureMode::Relaxed) => false,
            (CaptureMode::Global, CaptureMode::Global) => true,
            (CaptureMode::Global | CaptureMode::ThreadLocal, _) => capture.thread == thread,
        });
        let mut is_hit = false;
        for capture in hit {
            capture.is_valid = false;
            is_hit = true;
        }
        if is_hit { Err(CudaError::StreamCaptureUnsupported) } else { Ok(()) }
    }

    /// Refuses to wait for everything while a stream is captured.
    ///
    /// # Errors
    /// One is; its capture is invalid from then on.
    pub(crate) fn refuse_all(&mut self) -> Answer<()> {
        let captures = &mut self.state.graphs.captures.by_number;
        if captures.is_empty() {
            return Ok(());
        }
        for capture in captures.values_mut() {
            capture.is_valid = false;
        }
        Err(CudaError::StreamCaptureUnsupported)
    }

    /// Records an event in a stream. If the stream is captured, the event represents its last
    /// nodes. Returns whether it is captured.
    ///
    /// # Errors
    /// The capture is invalid.
    pub(crate) fn capture_record(&mut self, event: Handle, stream: Stream) -> Answer<bool> {
        if !self.is_captured(stream)? {
            self.state.graphs.captures.events.remove(&event);
            return Ok(false);
        }
        let (number, _, last) = self.capture_of(stream)?;
        let last = last.clone();
        self.state.graphs.captures.events.insert(event, (number, last));
        Ok(true)
    }

    /// Makes a stream wait for an event. If the event represents nodes, the stream is captured from
    /// then on. Returns whether it is captured.
    ///
    /// # Errors
    /// Only one of the two is captured, or each is in a different capture.
    pub(crate) fn capture_wait(&mut self, stream: Stream, event: Handle) -> Answer<bool> {
        let is_captured = self.is_captured(stream)?;
        let captures = &mut self.state.graphs.captures;
        let Some((number, nodes)) = captures.events.get(&event).cloned() else {
            if !is_captured {
                return Ok(false);
            }
            if let Some(capture) = captures.of_mut(stream) {
                capture.is_valid = false;
            }
            return Err(CudaError::StreamCaptureIsolation);
        };
        let of_stream = captures.of_stream.get(&stream.number()).copied();
        if stream == Stream::DEFAULT {
            captures.spoil(number);
            return Err(CudaError::StreamCaptureImplicit);
        }
        if of_stream.is_some_and(|of_stream| of_stream != number) {
            captures.spoil(number);
            return Err(CudaError::StreamCaptureMerge);
        }
        let capture = captures.by_number.get_mut(&number).ok_or(CudaError::Unknown)?;
        if !capture.is_valid {
            return Err(CudaError::StreamCaptureInvalidated);
        }
        capture.last.entry(stream.number()).or_default().extend(nodes);
        captures.of_stream.insert(stream.number(), number);
        Ok(true)
    }

    /// Refuses to wait for an event that represents nodes.
    ///
    /// # Errors
    /// The event represents nodes. The capture is invalid from then on.
    pub(crate) fn refuse_captured_event(&mut self, event: Handle) -> Answer<()> {
        let captures = &mut self.state.graphs.captures;
        let Some((number, _)) = captures.events.get(&event) else { return Ok(()) };
        let number = *number;
        captures.spoil(number);
        Err(CudaError::CapturedEvent)
    }

    /// A stream is destroyed: a capture that it began cannot end. The part of it that another
    /// capture has must still be joined.
    pub(crate) fn forget_captured(&mut self, stream: Stream) {
        let captures = &mut self.state.graphs.captures;
        let Some(number) = captures.of_stream.remove(&stream.number()) else { return };
        let Some(capture) = captures.by_number.get_mut(&number) else { return };
        match capture.origin == stream.number() {
            true => self.forget_capture(number),
            false => capture.left.extend(capture.last.remove(&stream.number()).unwrap_or_default()),
        }
    }

    fn forget_capture(&mut self, number: u64) {
        let captures = &mut self.state.graphs.captures;
        captures.of_stream.retain(|_, of| *of != number);
        captures.events.retain(|_, (of, _)| *of != number);
        let capture = captures.by_number.remove(&number);
        if let Some(capture) = capture.filter(|capture| !capture.is_given) {
            self.state.graphs.forget(capture.graph);
        }
    }

    /// A context is emptied: no capture in it can end.
    pub(crate) fn forget_captures_in(&mut self, context: Handle) {
        let all = self.state.graphs.captures.by_number.iter();
        let gone = all.filter(|(_, capture)| capture.context == context);
        for number in gone.map(|(number, _)| *number).collect::<Vec<_>>() {
            self.forget_capture(number);
        }
    }
}
