//! Curves as a drawing: lines over steps, each with a band if it has a spread. Pure text (SVG).

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;

/// Told apart by most eyes, and in print.
const COLOURS: [&str; 8] =
    ["#555555", "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#8c6bb1"];

/// A point of a line, with the spread around it: 0 for none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    pub spread: f64,
}

/// A named line.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    pub name: String,
    pub dots: Vec<Dot>,
}

/// What is drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    pub title: String,
    pub x: String,
    pub y: String,
    pub lines: Vec<Line>,
}

/// What is drawn between: least and greatest of both.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    /// Of all points that are numbers.
    fn of(lines: &[Line]) -> Frame {
        let all = || lines.iter().flat_map(|line| &line.dots);
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
        };
        Frame { x: ends(&mut all().map(|dot| dot.x)), y: ends(&mut all().map(|dot| dot.y)) }
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + (x - self.x.0) / (self.x.1 - self.x.0).max(1e-9) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - (y - self.y.0) / (self.y.1 - self.y.0).max(1e-9) * (HEIGHT - TOP - BOTTOM)
    }
}

impl Chart {
    /// Points that are no numbers are left out, and lines without points.
    pub fn svg(&self) -> String {
        let lines: Vec<Line> = self.lines.iter().map(finite).filter(|line| !line.dots.is_empty()).collect();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"22\" font-size=\"14\">{}</text>\n",
            escaped(&self.title)
        );
        if lines.is_empty() {
            return svg + "</svg>\n";
        }
        let frame = Frame::of(&lines);
        svg += &self.axes(&frame);
        for (at, line) in lines.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            svg += &band(&frame, &line.dots, colour);
            svg += &path(&frame, &line.dots, colour);
            let (x, y) = (WIDTH - RIGHT + 12.0, TOP + 16.0 + 18.0 * at as f64);
            svg += &format!("<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{}</text>\n", escaped(&line.name));
        }
        svg + "</svg>\n"
    }

    /// Five marks along each side.
    fn axes(&self, frame: &Frame) -> String {
        let (right, floor) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let mut svg = format!(
            "<path d=\"M{LEFT} {TOP}V{floor}H{right}\" fill=\"none\" stroke=\"black\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text x=\"16\" y=\"{}\" transform=\"rotate(-90 16 {})\" text-anchor=\"middle\">{}</text>\n",
            (LEFT + right) / 2.0,
            HEIGHT - 10.0,
            escaped(&self.x),
            (TOP + floor) / 2.0,
            (TOP + floor) / 2.0,
            escaped(&self.y)
        );
        for mark in 0..5 {
            let share = f64::from(mark) / 4.0;
            let x = frame.x.0 + share * (frame.x.1 - frame.x.0);
            let y = frame.y.0 + share * (frame.y.1 - frame.y.0);
            svg += &format!(
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x:.0}</text>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{y:.2}</text>\n",
                frame.x(x),
                floor + 16.0,
                LEFT - 6.0,
                frame.y(y) + 4.0
            );
        }
        svg
    }
}

fn finite(line: &Line) -> Line {
    let is_number = |dot: &&Dot| [dot.x, dot.y, dot.spread].into_iter().all(f64::is_finite);
    Line { name: line.name.clone(), dots: line.dots.iter().filter(is_number).copied().collect() }
}

fn path(frame: &Frame, dots: &[Dot], colour: &str) -> String {
    let points: Vec<String> =
        dots.iter().map(|dot| format!("{:.1},{:.1}", frame.x(dot.x), frame.y(dot.y))).collect();
    format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n",
        points.join(" ")
    )
}

fn band(frame: &Frame, dots: &[Dot], colour: &str) -> String {
    if dots.iter().all(|dot| dot.spread == 0.0) {
        return String::new();
    }
    let edge = |dot: &Dot, side: f64| {
        let y = (dot.y + side * dot.spread).clamp(frame.y.0, frame.y.1);
        format!("{:.1},{:.1}", frame.x(dot.x), frame.y(y))
    };
    let upper = dots.iter().map(|dot| edge(dot, 1.0));
    let lower = dots.iter().rev().map(|dot| edge(dot, -1.0));
    let points: Vec<String> = upper.chain(lower).collect();
    format!("<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.15\"/>\n", points.join(" "))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_a_line_for_each_name_and_a_band_where_there_is_a_spread() {
        let line = |name: &str, spread| {
            let dot = |at| Dot { x: f64::from(at), y: 5.0 - f64::from(at), spread };
            Line { name: name.into(), dots: (0..3).map(dot).collect() }
        };
        let mut odd = line("odd", 0.0);
        odd.dots[1].y = f64::NAN;
        let nothing = Line { name: "nothing".into(), dots: Vec::new() };
        let lines = vec![line("a & b", 0.5), odd, nothing];
        let chart = Chart { title: "t".into(), x: "steps".into(), y: "loss".into(), lines };
        let svg = chart.svg();
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<polygon").count()), (2, 1));
        assert!(svg.contains(">a &amp; b</text>") && !svg.contains("nothing"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(Chart { lines: Vec::new(), ..chart }.svg().ends_with("</svg>\n"));
    }
}
