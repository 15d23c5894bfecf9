//! Pages in HTML. They load nothing from other places.

use crate::plot;

/// The style of all pages, to which plots add theirs.
const STYLE: &str = "\
:root{color-scheme:light dark;--grid:#ddd;--soft:#666;--worse:#e6e6e6}
@media(prefers-color-scheme:dark){:root{--grid:#3a3d42;--soft:#aaa;--worse:#3a3d42}}
body{font:15px/1.45 sans-serif;margin:2em auto;padding:0 1em;max-width:76em}
h2{margin-top:2em}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;margin:.5em 0}
th,td{padding:.2em .6em;text-align:right;white-space:nowrap;border-bottom:1px solid var(--grid)}
th:first-child,td:first-child{text-align:left}
td.worse{background:var(--worse)}
.soft{color:var(--soft)}
details{margin:.3em 0}
summary{cursor:pointer}
figure{display:inline-block;margin:0;max-width:100%}
figcaption{text-align:center;margin-bottom:1em}
";

/// A page with a title.
pub fn page(title: &str, body: &str) -> String {
    let (title, plots) = (escape(title), plot::STYLE);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width\"/>\n<title>{title}</title>\n\
         <style>\n{STYLE}{plots}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n\
         </html>\n"
    )
}

/// A paragraph of text.
pub fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// Escapes text for use between tags and in attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::harness::testing::is_well_formed;

    /// Checks that a page is well formed, loads nothing, and shows no number that is not
    /// finite.
    pub fn is_sound(page: &str) -> Result<(), String> {
        let body = page.strip_prefix("<!doctype html>\n").ok_or("no document type")?;
        let start = body.find("<style>").ok_or("no style")?;
        let end = body.find("</style>").ok_or("no end of the style")?;
        is_well_formed(&format!("{}<style>{}", &body[..start], &body[end..]))?;
        match ["http", "<script", "NaN", "inf\"", "inf "].iter().find(|bad| page.contains(**bad)) {
            Some(bad) => Err(format!("there is `{bad}`")),
            None => Ok(()),
        }
    }

    #[test]
    fn a_page_is_sound_and_its_text_escaped() {
        let page = page("a<b", &paragraph("\"c\" & 'd'"));
        is_sound(&page).unwrap();
        assert!(page.contains("<h1>a&lt;b</h1>\n<p>&quot;c&quot; &amp; &#39;d&#39;</p>"), "{page}");
        assert!(is_sound(&page.replace("</p>", "")).is_err());
    }
}
