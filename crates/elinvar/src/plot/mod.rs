//! Pictures in SVG, drawn to scale: lines, bars, boxes, and points of two quantities.
//!
//! Pictures have no colours of their own but classes, which [`STYLE`] defines for light and dark
//! pages. All text in them is escaped. They are used by the page of a campaign and by the
//! experiments.

pub mod axis;
pub mod bars;
pub mod boxes;
pub mod frame;
pub mod lines;
pub mod scatter;
pub mod times;

/// The style of all pictures. Series are drawn in the colours `c0` and so on. A page has to define
/// the colours `--grid` and `--soft`.
pub const STYLE: &str = "\
:root{--c0:#1f6fb4;--c1:#c8601a;--c2:#3a8f4d;--c3:#8a5bb0}
:root{--c4:#b5302f;--c5:#7a6a1f;--c6:#1f8f93;--c7:#8a4b6b}
@media(prefers-color-scheme:dark){:root{--c0:#5aa9e6;--c1:#e08a4a;--c2:#6cc182;--c3:#b694d8}}
@media(prefers-color-scheme:dark){:root{--c4:#e8716f;--c5:#c2ad4b;--c6:#5cc4c8;--c7:#cf8fb0}}
svg{margin:0 1em 1em 0}
svg .c0{fill:var(--c0);stroke:var(--c0)}
svg .c1{fill:var(--c1);stroke:var(--c1)}
svg .c2{fill:var(--c2);stroke:var(--c2)}
svg .c3{fill:var(--c3);stroke:var(--c3)}
svg .c4{fill:var(--c4);stroke:var(--c4)}
svg .c5{fill:var(--c5);stroke:var(--c5)}
svg .c6{fill:var(--c6);stroke:var(--c6)}
svg .c7{fill:var(--c7);stroke:var(--c7)}
svg circle,svg rect{fill-opacity:.7;stroke:none}
svg .line{fill:none;stroke-width:2}
svg .band{fill-opacity:.15;stroke:none}
svg text{font:12px sans-serif;fill:currentColor}
svg .end{text-anchor:end}
svg .middle{text-anchor:middle}
svg .grid{stroke:var(--grid)}
svg .border{stroke:currentColor;fill:none}
svg .guide{stroke:var(--soft);fill:none;stroke-dasharray:4 3}
";

/// The number of colours.
pub const COLOURS: usize = 8;

/// A value of a scale as a share of its length, from 0 to 1, with its label.
pub type Mark = (f64, String);

/// The class of the colour of a series.
pub fn colour(index: usize) -> String {
    format!("c{}", index % COLOURS)
}

/// Escapes text for use between tags and in attributes.
fn escape(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use quick_xml::events::Event;

    /// Fails if the markup is not well-formed XML.
    pub fn is_well_formed(markup: &str) {
        let mut reader = quick_xml::Reader::from_str(markup);
        reader.config_mut().check_end_names = true;
        let mut open = 0;
        loop {
            match reader.read_event().expect(markup) {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(open, 0, "{markup}");
    }
}
