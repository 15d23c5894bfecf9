//! The elements of a drawing, and text within XML.

use std::fmt::{self, Write as _};

/// The room around what is drawn.
pub(super) const MARGIN: i64 = 12;
/// The narrowest page that has room for the title and the legend.
const NARROWEST: i64 = 640;

const STYLE: &str = "\
text{font:13px ui-monospace,monospace;fill:#1a202c}\
.small{font-size:11px;fill:#4a5568}.middle{text-anchor:middle}.end{text-anchor:end}\
.title{font:bold 15px sans-serif}.legend{font:12px sans-serif;fill:#4a5568}\
.edge{fill:none;stroke:#a0aec0;stroke-width:1.2}.large .edge{marker-end:url(#tip)}\
.vertex{fill:#fff;stroke:#2d3748;stroke-width:1.2}.output{stroke-width:3}\
.on{fill:#3182ce}.placed{stroke:#2f855a;stroke-width:3}\
.taken{stroke:#c53030;stroke-width:3}.plus{fill:#fff;font-weight:bold}\
.minus{fill:#c53030;font-weight:bold}.line{stroke:#e2e8f0}.frame{fill:none;stroke:#e2e8f0}\
.most{font-weight:bold;fill:#1a202c}";

/// The elements of a drawing.
#[derive(Default)]
pub(super) struct Page {
    text: String,
}

impl Page {
    pub(super) fn line(&mut self, line: fmt::Arguments) {
        writeln!(self.text, "{line}").expect("strings take any text");
    }

    pub(super) fn text(&mut self, class: &str, x: i64, y: i64, text: impl fmt::Display) {
        let text = text.to_string();
        let text = Escaped(&text);
        self.line(format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>"));
    }

    pub(super) fn rect(&mut self, class: &str, (x, y): (i64, i64), (width, height): (i64, i64)) {
        self.line(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             rx=\"3\"/>"
        ));
    }

    /// What `draw` draws, moved to the right and down.
    pub(super) fn group<T>(&mut self, x: i64, y: i64, draw: impl FnOnce(&mut Self) -> T) -> T {
        self.line(format_args!("<g transform=\"translate({x} {y})\">"));
        let drawn = draw(self);
        self.line(format_args!("</g>"));
        drawn
    }

    /// The drawing as a file of at least this size.
    pub(super) fn finish(self, (width, height): (i64, i64), title: &str) -> String {
        let legend = "Thick border or name: an output. Blue: pebbled. \
                      Green or +: just pebbled. Red or \u{2212}: just unpebbled.";
        let width = width.max(NARROWEST);
        let mut page = Page::default();
        page.line(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">"
        ));
        page.line(format_args!("<title>{title}</title>"));
        page.line(format_args!("<style>{STYLE}</style>"));
        page.line(format_args!(
            "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
             markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
             <path d=\"M0 0L8 4L0 8z\" fill=\"#a0aec0\"/></marker></defs>"
        ));
        page.line(format_args!("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"));
        page.text("title", MARGIN, 2 * MARGIN, title);
        page.text.push_str(&self.text);
        page.text("legend", MARGIN, height - MARGIN, legend);
        page.line(format_args!("</svg>"));
        page.text
    }
}

/// Text within XML. What XML does not allow at all is replaced.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\u{fffe}' | '\u{ffff}' => f.write_char(char::REPLACEMENT_CHARACTER)?,
                c if c.is_control() => f.write_char(char::REPLACEMENT_CHARACTER)?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let text = Escaped("a<b>&\"c\"\u{1}\u{ffff}é").to_string();
        assert_eq!(text, "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}\u{fffd}é");
    }
}
