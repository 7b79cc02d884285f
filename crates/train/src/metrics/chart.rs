//! Curves as a drawing: lines over steps, each with a band if it has a spread. Pure text (SVG).

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 48.0;

const GRID: &str = "#e0e0e0";

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
    /// What stands at 0, 1, 2, .. along x, instead of numbers, if anything.
    pub names: Vec<String>,
    /// Whether lines fall steeply at first, which then has no say in how high the drawing is.
    pub is_steep: bool,
}

/// The share of the way along x that has no say in how high a drawing is: what falls steeply at first would leave the
/// rest flat.
const BEGINNING: f64 = 0.05;

/// Most distances between marks along a side.
const MARKS: f64 = 6.0;

/// A side: its ends, and the distance of its marks, which are round numbers. The ends are marks too.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Side {
    low: f64,
    high: f64,
    step: f64,
}

impl Side {
    /// The smallest side with room for all values from the one to the other.
    fn around(low: f64, high: f64) -> Side {
        let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
        let span = high - low;
        let decade = 10f64.powf((span / MARKS).log10().floor());
        let fits = |step: &f64| (high / step).ceil() - (low / step).floor() <= MARKS;
        let steps = [1.0, 2.0, 5.0, 10.0, 20.0].map(|times| times * decade);
        let step = steps.into_iter().find(fits).unwrap_or(span);
        Side { low: (low / step).floor() * step, high: (high / step).ceil() * step, step }
    }

    /// Round numbers from end to end.
    fn marks(&self) -> impl Iterator<Item = f64> + use<> {
        let Side { low, high, step } = *self;
        (0..=((high - low) / step).round() as usize)
            .map(move |at| (low / step).round() * step + at as f64 * step)
    }

    /// With as many digits as tell marks apart.
    fn label(&self, mark: f64) -> String {
        let digits = (-(self.step.log10() + 1e-9).floor()).max(0.0) as usize;
        format!("{:.digits$}", if mark.abs() < self.step / 2.0 { 0.0 } else { mark })
    }

    /// How far along a value is: 0 to 1 inside.
    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// What is drawn between.
struct PlotFrame {
    x: Side,
    y: Side,
}

impl PlotFrame {
    /// Of all points that are numbers; in height of those after a steep beginning, if there are any.
    fn of(lines: &[Line], is_steep: bool) -> PlotFrame {
        let all = || lines.iter().flat_map(|line| &line.dots);
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
        };
        let (first, last) = ends(&mut all().map(|dot| dot.x));
        let begun = first + if is_steep { BEGINNING * (last - first) } else { 0.0 };
        let late = ends(&mut all().filter(|dot| dot.x >= begun).map(|dot| dot.y));
        let (low, high) = if late.0 <= late.1 { late } else { ends(&mut all().map(|dot| dot.y)) };
        PlotFrame { x: Side::around(first, last), y: Side::around(low, high) }
    }

    fn x(&self, x: f64) -> f64 {
        LEFT + self.x.share(x) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(y) * (HEIGHT - TOP - BOTTOM)
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
        let frame = PlotFrame { x: self.x_side(&lines), ..PlotFrame::of(&lines, self.is_steep) };
        svg += &self.axes(&frame);
        for (at, line) in lines.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            svg += &band(&frame, &line.dots, colour);
            svg += &path(&frame, &line.dots, colour);
            svg += &self.points(&frame, &line.dots, colour);
            let (x, y) = (WIDTH - RIGHT + 12.0, TOP + 16.0 + 18.0 * at as f64);
            svg += &format!("<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{}</text>\n", escaped(&line.name));
        }
        svg + "</svg>\n"
    }

    /// Where few points make a line, they are shown.
    fn points(&self, frame: &PlotFrame, dots: &[Dot], colour: &str) -> String {
        let shown = dots.iter().filter(|_| !self.is_steep);
        let point = |dot: &Dot| {
            let (x, y) = (frame.x(dot.x), frame.y(dot.y));
            format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>\n")
        };
        shown.map(point).collect()
    }

    /// With names, all of them.
    fn x_side(&self, lines: &[Line]) -> Side {
        match self.names.len() {
            0 => PlotFrame::of(lines, false).x,
            count => Side { low: 0.0, high: count.max(2) as f64 - 1.0, step: 1.0 },
        }
    }

    fn x_label(&self, side: &Side, at: usize, mark: f64) -> String {
        match self.names.get(at) {
            Some(name) => escaped(name),
            None if self.names.is_empty() => side.label(mark),
            None => String::new(),
        }
    }

    /// Titles, marks at round numbers, and a grid through them.
    fn axes(&self, frame: &PlotFrame) -> String {
        let (right, floor) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let mut svg = format!(
            "<clipPath id=\"plot\"><rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{}\" height=\"{}\"/></clipPath>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
             <text x=\"16\" y=\"{}\" transform=\"rotate(-90 16 {})\" text-anchor=\"middle\">{}</text>\n",
            right - LEFT,
            floor - TOP,
            (LEFT + right) / 2.0,
            HEIGHT - 10.0,
            escaped(&self.x),
            (TOP + floor) / 2.0,
            (TOP + floor) / 2.0,
            escaped(&self.y)
        );
        for (at, mark) in frame.x.marks().enumerate() {
            let (x, label) = (frame.x(mark), self.x_label(&frame.x, at, mark));
            svg += &format!(
                "<path d=\"M{x:.1} {TOP}V{floor}\" stroke=\"{GRID}\"/>\n\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
                floor + 16.0
            );
        }
        for mark in frame.y.marks() {
            let (y, label) = (frame.y(mark), frame.y.label(mark));
            svg += &format!(
                "<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"{GRID}\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
                LEFT - 6.0,
                y + 4.0
            );
        }
        svg + &format!("<path d=\"M{LEFT} {TOP}V{floor}H{right}\" fill=\"none\" stroke=\"black\"/>\n")
    }
}

fn finite(line: &Line) -> Line {
    let is_number = |dot: &&Dot| [dot.x, dot.y, dot.spread].into_iter().all(f64::is_finite);
    Line { name: line.name.clone(), dots: line.dots.iter().filter(is_number).copied().collect() }
}

fn path(frame: &PlotFrame, dots: &[Dot], colour: &str) -> String {
    let points: Vec<String> =
        dots.iter().map(|dot| format!("{:.1},{:.1}", frame.x(dot.x), frame.y(dot.y))).collect();
    format!(
        "<polyline points=\"{}\" clip-path=\"url(#plot)\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n",
        points.join(" ")
    )
}

fn band(frame: &PlotFrame, dots: &[Dot], colour: &str) -> String {
    if dots.iter().all(|dot| dot.spread == 0.0) {
        return String::new();
    }
    let edge = |dot: &Dot, side: f64| {
        let y = (dot.y + side * dot.spread).clamp(frame.y.low, frame.y.high);
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
    fn marks_are_round_and_reach_around_all_values() {
        let labels = |low, high| {
            let side = Side::around(low, high);
            side.marks().map(|mark| side.label(mark)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(1.0, 400.0), "0 100 200 300 400");
        assert_eq!(labels(0.31, 2.9), "0.0 0.5 1.0 1.5 2.0 2.5 3.0");
        assert_eq!(labels(-0.3, 0.3), "-0.3 -0.2 -0.1 0.0 0.1 0.2 0.3");
        assert_eq!(labels(3.0, 3.0), "2.4 2.6 2.8 3.0 3.2 3.4 3.6");
        assert_eq!(labels(0.98, 1.02), "0.98 0.99 1.00 1.01 1.02");
        for (low, high) in [(0.0, 1e-9), (1.0, 1e9), (-7.0, 1234.5), (599.0, 601.0)] {
            let side = Side::around(low, high);
            assert!(side.low <= low && high <= side.high && side.marks().count() <= 7, "{side:?}");
        }
    }

    #[test]
    fn a_steep_beginning_leaves_the_rest_its_height() {
        let dots = (0..100).map(|at| Dot {
            x: f64::from(at),
            y: if at < 3 { 9.0 } else { 1.5 - 0.01 * f64::from(at) },
            spread: 0.0,
        });
        let line = |dots| Line { name: "a".into(), dots };
        assert_eq!(PlotFrame::of(&[line(dots.clone().collect())], true).y, Side::around(0.51, 1.45));
        assert_eq!(PlotFrame::of(&[line(dots.take(1).collect())], true).y, Side::around(9.0, 9.0));
    }

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
        let chart = Chart {
            title: "t".into(),
            x: "steps".into(),
            y: "loss".into(),
            lines,
            names: Vec::new(),
            is_steep: true,
        };
        let svg = chart.svg();
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<polygon").count()), (2, 1));
        assert!(svg.contains(">a &amp; b</text>") && !svg.contains("nothing"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(Chart { lines: Vec::new(), ..chart }.svg().ends_with("</svg>\n"));
    }
}
