//! Launching graphs (CUDA driver API, `cuGraphLaunch`).
//!
//! The steps are issued in their order. If launches are checked, each lane is a separate stream,
//! and events express the edges. Two steps without a path between them are unordered. A launch
//! comes after the work that its stream holds and after the last launch of the same instance. If
//! the order is not checked, all steps go to the launch's stream.
//!
//! A function of the program is not called here, because it may do anything except call this API.
//! [`Call::go_on`] stops before it and gives it to its caller. The steps behind it are issued when
//! it has returned.

use std::sync::Arc;

use warpsim::host::{Device, Event, Stream, StreamKind};

use super::conditions::ConditionKind;
use super::instances::Step;
use super::{GraphTask, HostCall};
use crate::state::{Call, refusal};
use crate::{Answer, CudaError, DefaultStream, Handle};

/// The streams and events of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    streams: Vec<Stream>,
    /// One of each step.
    events: Vec<Event>,
    start: Event,
    /// The event that represents the last launch.
    end: Event,
    is_launched: bool,
}

/// The steps of a graph, or of a body that a conditional step chose, and how far they got.
#[derive(Debug)]
struct Frame {
    steps: Arc<Vec<Step>>,
    /// There are none if the order is not checked.
    lanes: Option<Lanes>,
    stream: Stream,
    next: usize,
    /// The next step has decided, and what it decided for has been issued.
    has_decided: bool,
}

/// A launch of a graph, as far as it got.
#[derive(Debug)]
pub struct GraphRun {
    /// The graph, and the bodies that are being carried out, each of a step of the one before.
    frames: Vec<Frame>,
    is_over: bool,
}

/// What came of a step.
enum Issued {
    Step,
    /// A function of the program must be called first.
    Call(HostCall),
    /// It decided for these.
    Body(Frame),
}

impl GraphRun {
    fn new(steps: Arc<Vec<Step>>, lanes: Option<Lanes>, stream: Stream) -> GraphRun {
        let frame = Frame { steps, lanes, stream, next: 0, has_decided: false };
        GraphRun { frames: vec![frame], is_over: false }
    }
}

impl Call<'_> {
    fn lanes(&mut self, instance: Handle) -> Answer<Lanes> {
        let known = self.instance(instance)?;
        if let Some(lanes) = &known.lanes {
            return Ok(lanes.clone());
        }
        let steps = Arc::clone(&known.steps);
        let count = steps.iter().map(|step| step.lane + 1).max().unwrap_or(0);
        let mut streams = Vec::new();
        for _ in 0..count {
            let stream = self.state.device.stream(StreamKind::NonBlocking);
            streams.push(stream.map_err(|error| refusal(self, &error))?);
        }
        let mut events = Vec::new();
        for _ in 0..steps.len() + 2 {
            let event = self.state.device.event();
            events.push(event.map_err(|error| refusal(self, &error))?);
        }
        let (end, start) = (events.pop(), events.pop());
        let (end, start) = (end.ok_or(CudaError::Unknown)?, start.ok_or(CudaError::Unknown)?);
        Ok(Lanes { streams, events, start, end, is_launched: false })
    }

    /// `cuGraphLaunch` into a stream; [`Call::go_on`] issues the steps. A stream that is captured
    /// gets a child graph.
    ///
    /// # Errors
    /// There is no such instance or stream.
    pub fn launch_graph(
        &mut self,
        instance: Handle,
        stream: Handle,
        default: DefaultStream,
    ) -> Answer<GraphRun> {
        let stream = self.stream(stream, default)?;
        let known = self.instance(instance)?;
        let (steps, original) = (Arc::clone(&known.steps), known.original);
        let (is_freed, defaults) = (known.frees_first, known.defaults.clone());
        if self.is_captured(stream)? {
            self.capture(stream, || GraphTask::Child(original))?;
            return Ok(GraphRun { is_over: true, ..GraphRun::new(steps, None, stream) });
        }
        let lanes = match self.state.options.check {
            true => Some(self.lanes(instance)?),
            false => None,
        };
        if let Some(lanes) = lanes.as_ref().filter(|lanes| lanes.is_launched) {
            self.follow(stream, lanes.end)?;
        }
        // It is behind the launch before, and before all steps.
        self.clear_graph_memory(&steps, is_freed, stream)?;
        for (word, value) in defaults {
            self.set(word, &value.to_le_bytes(), [1, 1], 0, stream)?;
        }
        if let Some(lanes) = &lanes {
            self.mark(lanes.start, stream)?;
        }
        if let Some(known) = self.state.graphs.instances.get_mut(&instance) {
            known.lanes = lanes.clone().map(|lanes| Lanes { is_launched: true, ..lanes });
        }
        Ok(GraphRun::new(steps, lanes, stream))
    }

    fn follow(&mut self, stream: Stream, event: Event) -> Answer<()> {
        let waited = self.state.device.wait(stream, event);
        waited.map_err(|error| refusal(self, &error))
    }

    fn mark(&mut self, event: Event, stream: Stream) -> Answer<()> {
        let recorded = self.state.device.record(event, stream);
        recorded.map_err(|error| refusal(self, &error))
    }

    /// Issues the steps of a launch up to a function of the program. The caller must call it before
    /// the next call; `None` when there are no more.
    ///
    /// # Errors
    /// A step is refused; no other step is issued then.
    pub fn go_on(&mut self, run: &mut GraphRun) -> Answer<Option<HostCall>> {
        while let (false, Some(mut frame)) = (run.is_over, run.frames.pop()) {
            let is_inner = !run.frames.is_empty();
            let is_ended = frame.next >= frame.steps.len();
            // What a step decided for is over.
            if is_ended && is_inner {
                continue;
            }
            if is_ended {
                run.frames.push(frame);
                break;
            }
            let issued = self.go_one_on(&mut frame);
            run.frames.push(frame);
            run.is_over = issued.is_err();
            match issued? {
                Issued::Step => {}
                Issued::Call(called) => return Ok(Some(called)),
                Issued::Body(frame) => run.frames.push(frame),
            }
        }
        let graph = run.frames.first_mut().filter(|_| !run.is_over);
        if let Some((lanes, stream)) = graph.and_then(|f| Some((f.lanes.take()?, f.stream))) {
            for event in lanes.events {
                self.follow(stream, event)?;
            }
            self.mark(lanes.end, stream)?;
        }
        run.is_over = true;
        Ok(None)
    }

    /// Issues the next step, or what it decides for.
    fn go_one_on(&mut self, frame: &mut Frame) -> Answer<Issued> {
        let steps = Arc::clone(&frame.steps);
        let step = steps.get(frame.next).ok_or(CudaError::Unknown)?;
        let stream = match &frame.lanes {
            None => frame.stream,
            Some(lanes) => self.enter_lane(lanes, step)?,
        };
        if let GraphTask::Conditional(of) = &step.task
            && (of.kind == ConditionKind::While || !frame.has_decided)
            && let Some(body) = self.chosen(of)?
        {
            frame.has_decided = true;
            let steps = Arc::clone(step.bodies.get(body).ok_or(CudaError::Unknown)?);
            return Ok(Issued::Body(Frame {
                steps,
                lanes: None,
                stream,
                next: 0,
                has_decided: false,
            }));
        }
        let called = match step.is_enabled {
            true => self.perform_step(&step.task, stream)?,
            false => None,
        };
        if let Some(lanes) = &frame.lanes {
            self.mark(*lanes.events.get(frame.next).ok_or(CudaError::Unknown)?, stream)?;
        }
        (frame.next, frame.has_decided) = (frame.next + 1, false);
        Ok(called.map_or(Issued::Step, Issued::Call))
    }

    /// The stream of a step's lane. It waits for the steps before this one.
    fn enter_lane(&mut self, lanes: &Lanes, step: &Step) -> Answer<Stream> {
        let stream = *lanes.streams.get(step.lane).ok_or(CudaError::Unknown)?;
        if step.after.is_empty() {
            self.follow(stream, lanes.start)?;
        }
        for before in &step.after {
            self.follow(stream, *lanes.events.get(*before).ok_or(CudaError::Unknown)?)?;
        }
        Ok(stream)
    }

    fn perform_step(&mut self, task: &GraphTask, stream: Stream) -> Answer<Option<HostCall>> {
        match task {
            GraphTask::Kernel(request) => self.launch(request, stream)?,
            GraphTask::Copy(block) => self.copy_block(block, stream, false)?,
            GraphTask::Set(set) => self.set(set.to, &set.value, set.shape, set.pitch, stream)?,
            GraphTask::Host(call) => {
                self.call_function_in(stream)?;
                return Ok(Some(*call));
            }
            // A child graph's steps are between two empty ones. The steps that a condition chose
            // have been issued.
            GraphTask::Child(_) | GraphTask::Empty | GraphTask::Conditional(_) => {}
            GraphTask::Wait(event) => self.wait_in(stream, *event)?,
            GraphTask::Record(event) => self.record_in(*event, stream)?,
            GraphTask::Allocate(memory) => self.allocate_in_graph(*memory, stream)?,
            GraphTask::Free(address) => self.free_in_graph(*address, stream)?,
            GraphTask::Library(task) => self.perform_library_task(task, stream)?,
        }
        Ok(None)
    }
}
