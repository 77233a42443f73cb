//! Colours, or none: bold, dim and reversed letters stay without them.

use ratatui::style::{Color, Modifier, Style};
use warpsim::observe::AccessKind;

/// Colours of warps, in turn.
const WARPS: [Color; 6] =
    [Color::Green, Color::Cyan, Color::Magenta, Color::Yellow, Color::Blue, Color::Red];

/// Whether there are colours.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Paint {
    /// The terminal has them, and they are not switched off.
    pub(in super::super) is_coloured: bool,
}

impl Paint {
    fn colour(self, style: Style, colour: Color) -> Style {
        if self.is_coloured { style.fg(colour) } else { style }
    }

    /// The header of a pane.
    pub(super) fn header(self) -> Style {
        self.colour(Style::new().add_modifier(Modifier::BOLD), Color::Cyan)
    }

    /// The next line, and what has changed.
    pub(super) fn now(self) -> Style {
        self.colour(Style::new().add_modifier(Modifier::BOLD), Color::Yellow)
    }

    /// A breakpoint, a watchpoint, a mistake.
    pub(super) fn stop(self) -> Style {
        self.colour(Style::new().add_modifier(Modifier::BOLD), Color::Red)
    }

    /// What matters little.
    pub(super) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// Lanes.
    pub(super) fn lanes(self) -> Style {
        self.colour(Style::new(), Color::Green)
    }

    /// What a warp has done.
    pub(super) fn warp(self, warp: u32) -> Style {
        self.colour(Style::new(), WARPS[warp as usize % WARPS.len()])
    }

    /// A cell that the last step accessed.
    pub(super) fn access(self, kind: AccessKind) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        match kind {
            AccessKind::Read => self.colour(Style::new(), Color::Cyan),
            AccessKind::Write => self.colour(bold, Color::Yellow),
            AccessKind::Atomic => self.colour(bold, Color::Magenta),
        }
    }
}
