//! What the pages of experiments share. They load nothing from elsewhere.

use std::fmt::Write;

/// The look of all pages, to which an experiment adds its own.
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
svg text{font:12px sans-serif;fill:currentColor}
svg .mark,svg .label{text-anchor:end}
svg .grid{stroke:var(--grid)}
";

/// A page with a title, a look of its own, and what stands on it.
pub fn page(title: &str, style: &str, body: &str) -> String {
    let title = escape(title);
    let mut page = String::new();
    write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width\"/>\n<title>{title}</title>\n\
         <style>\n{STYLE}{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
    .expect("strings do not fail");
    page
}

pub fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// What may stand between tags and in attributes.
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

    /// Are all elements closed in the order in which they were opened, and is nothing
    /// left that must be escaped?
    pub fn is_well_formed(markup: &str) -> Result<(), String> {
        let mut open = Vec::new();
        let mut rest = markup;
        while let Some(start) = rest.find('<') {
            text_is_escaped(&rest[..start])?;
            let end = start + rest[start..].find('>').ok_or("a tag does not end")?;
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if !tag.matches('"').count().is_multiple_of(2) || tag.contains('<') {
                return Err(format!("<{tag}>"));
            }
            let name = |tag: &str| tag.split_whitespace().next().unwrap_or_default().to_owned();
            if let Some(tag) = tag.strip_prefix('/') {
                let opened = open.pop();
                if opened.as_deref() != Some(tag) {
                    return Err(format!("{opened:?} is closed by {tag}"));
                }
            } else if !tag.ends_with('/') {
                open.push(name(tag));
            }
        }
        text_is_escaped(rest)?;
        if open.is_empty() { Ok(()) } else { Err(format!("{open:?} are not closed")) }
    }

    /// A page without the parts that are no markup of ours, well formed, and with nothing
    /// on it that leads elsewhere or that is no number.
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

    fn text_is_escaped(text: &str) -> Result<(), String> {
        let entities = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
        let clean = entities.iter().fold(text.to_owned(), |text, entity| text.replace(entity, ""));
        if clean.contains(['&', '>']) { Err(format!("not escaped: {text}")) } else { Ok(()) }
    }

    #[test]
    fn a_page_is_sound_and_shows_names_as_they_are() {
        let page = page("a<b", "svg .x{fill:red}\n", &paragraph("\"c\" & 'd'"));
        is_sound(&page).unwrap();
        assert!(page.contains("<h1>a&lt;b</h1>\n<p>&quot;c&quot; &amp; &#39;d&#39;</p>"), "{page}");
        assert!(is_sound(&page.replace("</p>", "")).is_err());
    }
}
