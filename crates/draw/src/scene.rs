//! A picture under way: rectangles, texts, lines and arrows, as large as what is in it.

use crate::palette::Color;
use std::fmt::Write;

/// What a text or a line is to the reader: its color on light and on dark ground.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    Plain,
    /// What explains.
    Muted,
    /// What the picture is about: what is sent.
    Accent,
}

impl Ink {
    fn class(self) -> &'static str {
        match self {
            Ink::Plain => "ink",
            Ink::Muted => "muted",
            Ink::Accent => "accent",
        }
    }
}

/// How a text is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// Words.
    Words,
    /// Names, types and shardings, as they stand in code.
    Code,
    /// The same, of what has a name.
    Name,
    /// Numbers on tiles and beside them.
    Small,
    Heading,
}

impl Face {
    fn class(self) -> &'static str {
        match self {
            Face::Words => "words",
            Face::Code => "code",
            Face::Name => "name",
            Face::Small => "small",
            Face::Heading => "heading",
        }
    }

    /// Height of its letters.
    fn size(self) -> f64 {
        match self {
            Face::Words => 13.0,
            Face::Code => 12.0,
            Face::Name => 14.0,
            Face::Small => 11.0,
            Face::Heading => 15.0,
        }
    }

    /// Room that a text takes at most, with the fonts that are usual.
    pub fn width(self, text: &str) -> f64 {
        let of_words = |c: char| match c {
            ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'i' | 'j' | 'l' => 0.34,
            'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.44,
            'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.98,
            c if c.is_uppercase() => 0.74,
            c if u32::from(c) > 0x2e80 => 1.1,
            _ => 0.63,
        };
        let of_code = |c: char| if u32::from(c) > 0x2e80 { 1.1 } else { 0.605 };
        let ems: f64 = match self {
            Face::Code | Face::Name => text.chars().map(of_code).sum(),
            Face::Words | Face::Small => text.chars().map(of_words).sum(),
            Face::Heading => text.chars().map(of_words).sum::<f64>() * 1.06,
        };
        ems * self.size()
    }
}

/// Where a text stands to its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// What a rectangle is filled with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    Color(Color),
    /// A box that something is said in.
    Panel,
    /// Ground of what has gaps.
    Track,
    /// Lines across what lies under it: what is not there.
    Hatch,
    /// Only an edge, thick.
    Frame,
    /// Only an edge, thin, in the color of the ground: between tiles.
    Seam,
}

/// A place and a size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Area {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Area {
    pub fn new(x: f64, y: f64, width: f64, height: f64) -> Area {
        Area { x, y, width, height }
    }

    pub fn middle(self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

/// A picture, or a part of one. Its own upper left corner is 0, 0.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scene {
    body: String,
    width: f64,
    height: f64,
}

impl Scene {
    pub fn width(&self) -> f64 {
        self.width
    }

    pub fn height(&self) -> f64 {
        self.height
    }

    pub fn rect(&mut self, area: Area, fill: Fill) {
        self.rect_of(area, fill, "");
    }

    /// A rectangle of a device.
    pub fn device(&mut self, area: Area, color: Color, device: i64) {
        self.rect_of(area, Fill::Color(color), &format!(" data-device=\"{device}\""));
    }

    fn rect_of(&mut self, Area { x, y, width, height }: Area, fill: Fill, more: &str) {
        let fill = match fill {
            Fill::Color(color) => format!("fill=\"{color}\""),
            Fill::Panel => "class=\"panel\" rx=\"5\"".into(),
            Fill::Track => "class=\"track\"".into(),
            Fill::Hatch => "class=\"hatch\"".into(),
            Fill::Frame => "class=\"frame\"".into(),
            Fill::Seam => "class=\"seam\"".into(),
        };
        let [left, top, wide, high] = [x, y, width, height].map(number);
        let _ = writeln!(
            self.body,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\" {fill}{more}/>"
        );
        self.reach(x + width, y + height);
    }

    /// A text whose middle is at `y`.
    pub fn text(&mut self, (x, y): (f64, f64), text: &str, face: Face, ink: Ink, anchor: Anchor) {
        self.text_of((x, y), text, face, &format!("class=\"{} {}\"", face.class(), ink.class()), anchor);
    }

    /// A text on a tile, in what can be read there.
    pub fn text_on(&mut self, place: (f64, f64), text: &str, color: Color) {
        let ink = if color.is_light() { "on-light" } else { "on-dark" };
        self.text_of(place, text, Face::Small, &format!("class=\"small {ink}\""), Anchor::Middle);
    }

    fn text_of(&mut self, (x, y): (f64, f64), text: &str, face: Face, class: &str, anchor: Anchor) {
        let width = face.width(text);
        let (anchored, right) = match anchor {
            Anchor::Start => ("", x + width),
            Anchor::Middle => (" text-anchor=\"middle\"", x + width / 2.0),
            Anchor::End => (" text-anchor=\"end\"", x),
        };
        let base = y + face.size() * 0.36;
        let (left, base) = (number(x), number(base));
        let _ =
            writeln!(self.body, "<text x=\"{left}\" y=\"{base}\" {class}{anchored}>{}</text>", escaped(text));
        self.reach(right, y + face.size() * 0.7);
    }

    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), ink: Ink) {
        let [a, b, c, d] = [x1, y1, x2, y2].map(number);
        let class = ink.class();
        let _ = writeln!(
            self.body,
            "<line x1=\"{a}\" y1=\"{b}\" x2=\"{c}\" y2=\"{d}\" class=\"stroke {class}\"/>"
        );
        self.reach(x1.max(x2), y1.max(y2));
    }

    /// A line with a head at its end.
    pub fn arrow(&mut self, from: (f64, f64), (x, y): (f64, f64), ink: Ink) {
        const HEAD: f64 = 7.0;
        let (dx, dy) = (x - from.0, y - from.1);
        let length = (dx * dx + dy * dy).sqrt().max(0.01);
        let (ux, uy) = (dx / length, dy / length);
        let back = HEAD.min(length);
        let (bx, by) = (x - ux * back, y - uy * back);
        self.line(from, (bx, by), ink);
        let half = back * 0.45;
        let points = [(x, y), (bx - uy * half, by + ux * half), (bx + uy * half, by - ux * half)];
        let points: Vec<String> =
            points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
        let _ = writeln!(self.body, "<polygon points=\"{}\" class=\"{}\"/>", points.join(" "), ink.class());
        self.reach(x, y);
    }

    /// A box with a text in its middle.
    pub fn panel(&mut self, area: Area, text: &str, face: Face, ink: Ink) {
        self.rect(area, Fill::Panel);
        self.text(area.middle(), text, face, ink, Anchor::Middle);
    }

    /// Another one, as a part of this. `what` tells programs what it is, as `data-tile="0,1"`.
    pub fn place(&mut self, (x, y): (f64, f64), part: &Scene, what: &str) {
        let gap = if what.is_empty() { "" } else { " " };
        let (left, top) = (number(x), number(y));
        let _ =
            write!(self.body, "<g{gap}{what} transform=\"translate({left} {top})\">\n{}</g>\n", part.body);
        self.reach(x + part.width, y + part.height);
    }

    /// What of it must be shown.
    pub fn reach(&mut self, x: f64, y: f64) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    /// The whole file, with room around it. `title` is read to who does not see it.
    pub fn finish(self, title: &str) -> String {
        const ROOM: f64 = 24.0;
        let [width, height] = [self.width, self.height].map(|size| number((size + 2.0 * ROOM).ceil()));
        let (title, room, body) = (escaped(title), number(ROOM), self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n<style>\n{STYLE}</style>\n<defs>\n{HATCH}</defs>\n\
             <rect width=\"{width}\" height=\"{height}\" rx=\"8\" class=\"ground\"/>\n\
             <g transform=\"translate({room} {room})\">\n{body}</g>\n</svg>\n"
        )
    }
}

const HATCH: &str = "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
<rect width=\"6\" height=\"6\" class=\"ground veil\"/><rect width=\"1.6\" height=\"6\" class=\"muted\"/></pattern>\n";

const STYLE: &str = "text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"Noto Sans\",sans-serif}
.words{font-size:13px}.small{font-size:11px}.heading{font-size:15px;font-weight:600}
.code,.name{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;white-space:pre}
.code{font-size:12px}.name{font-size:14px;font-weight:600}
.ground{fill:#fff}.veil{fill-opacity:.86}.ink{fill:#1d2330}.muted{fill:#5c6675}.accent{fill:#a8480f}
.stroke{stroke-width:1.6}.stroke.ink{stroke:#1d2330}.stroke.muted{stroke:#8b95a5}.stroke.accent{stroke:#c2571a}
.panel{fill:#f1f3f7;stroke:#ccd2dc}.track{fill:#eef1f6}.frame{fill:none;stroke:#1d2330;stroke-width:2}.seam{fill:none;stroke:#fff;stroke-width:2}
.hatch{fill:url(#hatch)}.on-light{fill:#000}.on-dark{fill:#fff}
@media (prefers-color-scheme:dark){
.ground{fill:#15181f}.ink{fill:#e8ebf2}.muted{fill:#a3adbd}.accent{fill:#f2a06a}
.stroke.ink{stroke:#e8ebf2}.stroke.muted{stroke:#6d7788}.stroke.accent{stroke:#e58748}
.panel{fill:#222733;stroke:#3d4656}.track{fill:#222733}.frame{stroke:#e8ebf2}.seam{stroke:#15181f}
}
";

/// One decimal, if there is any.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".into() } else { text.into() }
}

/// Text as XML has it. What XML cannot have at all is a question mark.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// A long text without its middle.
pub fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.into();
    }
    let (head, tail) = (most / 2 - 1, most - most / 2 - 1);
    let head: String = text.chars().take(head).collect();
    let tail: String = text.chars().skip(count - tail).collect();
    format!("{head}..{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_as_large_as_what_is_in_it_and_escapes_texts() {
        let mut part = Scene::default();
        part.text((0.0, 10.0), "a<b & \"c\"\u{1}", Face::Code, Ink::Plain, Anchor::Start);
        let mut scene = Scene::default();
        scene.place((100.0, 50.0), &part, "data-x=\"1\"");
        scene.rect(Area::new(0.0, 0.0, 300.25, 20.0), Fill::Panel);
        assert_eq!(scene.width(), 300.25);
        let svg = scene.finish("it's <one>");
        assert!(svg.contains("a&lt;b &amp; &quot;c&quot;?</text>"), "{svg}");
        assert!(svg.contains("<g data-x=\"1\" transform=\"translate(100 50)\">"), "{svg}");
        assert!(svg.contains("aria-label=\"it's &lt;one&gt;\""), "{svg}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, -0.01, 1.25, 10.0, -3.5].map(number), ["0", "0", "1.2", "10", "-3.5"]);
        assert_eq!([shortened("abcdefghij", 10), shortened("abcdefghijk", 8)], ["abcdefghij", "abc..ijk"]);
    }
}
