//! A table of what was found: for people with bars between its columns, as a page of the docs has it, and for programs
//! by the names of its columns.

use meshwright_base::arrange::Arrange;
use serde_json::{Map, Value, json};

/// One entry.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    value: Value,
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Cell {
        let text = text.into();
        Cell { value: json!(text), text }
    }

    /// With so many digits behind the point.
    pub fn number(value: f64, digits: usize) -> Cell {
        Cell { text: format!("{value:.digits$}"), value: json!(value) }
    }

    /// Shown in a way of its own.
    pub fn shown(value: f64, text: impl Into<String>) -> Cell {
        Cell { text: text.into(), value: json!(value) }
    }

    pub fn count(value: i64) -> Cell {
        Cell { text: value.to_string(), value: json!(value) }
    }

    /// What is not known, or does not apply.
    pub fn none() -> Cell {
        Cell { text: String::new(), value: Value::Null }
    }

    /// A number if there is one.
    pub fn maybe(value: Option<f64>, digits: usize) -> Cell {
        value.map_or_else(Cell::none, |value| Cell::number(value, digits))
    }
}

/// Rows under the names of their columns.
#[derive(Clone, Debug)]
pub struct Grid {
    head: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Grid {
    pub fn new(head: impl Into<Vec<&'static str>>) -> Grid {
        Grid { head: head.into(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl Into<Vec<Cell>>) {
        self.rows.push(cells.into());
    }

    /// Columns aligned: those of numbers to the right, others to the left.
    pub fn to_text(&self) -> String {
        let columns: Vec<Column> = (0..self.head.len()).map(|at| self.column(at)).collect();
        let line = |texts: &mut dyn Iterator<Item = &str>| {
            let cells = texts.zip(&columns).map(|(text, column)| column.cell(text));
            format!("|{}\n", cells.collect::<String>())
        };
        let rule: String = columns.iter().map(Column::rule).collect();
        let mut text = line(&mut self.head.iter().copied());
        text += &format!("|{rule}\n");
        for row in &self.rows {
            text += &line(&mut row.iter().map(|cell| cell.text.as_str()));
        }
        text
    }

    fn column(&self, at: usize) -> Column {
        let cells = || self.rows.iter().filter_map(|row| row.get(at));
        let widths = cells().map(|cell| cell.text.chars().count());
        let width = widths.chain([self.head[at].chars().count()]).max().unwrap_or(0);
        let is_numbers = cells().all(|cell| !cell.value.is_string()) && !self.rows.is_empty();
        // What is behind the last column lines up with nothing.
        let is_ragged = at + 1 == self.head.len() && !is_numbers;
        Column { width: if is_ragged { 0 } else { width }, is_numbers }
    }

    /// One object for each row.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let members =
                self.head.iter().zip(row).map(|(name, cell)| (name.to_string(), cell.value.clone()));
            Value::Object(members.collect::<Map<String, Value>>())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }
}

/// How a column is written.
struct Column {
    width: usize,
    is_numbers: bool,
}

impl Column {
    fn cell(&self, text: &str) -> String {
        let width = self.width;
        if self.is_numbers { format!(" {text:>width$} |") } else { format!(" {text:<width$} |") }
    }

    fn rule(&self) -> String {
        let dashes = "-".repeat(self.width.max(1) + 1);
        if self.is_numbers { format!("{dashes}:|") } else { format!("{dashes}-|") }
    }
}

/// Median and worst of errors, in percent.
pub fn spread(errors: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut errors: Vec<f64> = errors.collect();
    errors.arrange_by(f64::total_cmp);
    let at = |index: usize| 100.0 * errors.get(index).copied().unwrap_or(0.0);
    let middle = errors.len() / 2;
    let median = if errors.len().is_multiple_of(2) && middle > 0 {
        (at(middle - 1) + at(middle)) / 2.0
    } else {
        at(middle)
    };
    (median, at(errors.len().saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_of_two_lies_between_them() {
        assert_eq!(spread([0.25, 0.75].into_iter()), (50.0, 75.0));
        assert_eq!(spread([0.5, 0.25, 1.0].into_iter()), (50.0, 100.0));
        assert_eq!(spread([].into_iter()), (0.0, 0.0));
    }

    #[test]
    fn columns_are_aligned_and_rows_are_objects() {
        let mut grid = Grid::new(["of", "seconds"]);
        grid.row([Cell::text("one"), Cell::number(2.345, 1)]);
        grid.row([Cell::text("another"), Cell::none()]);
        assert_eq!(
            grid.to_text(),
            "| of      | seconds |\n|---------|--------:|\n| one     |     2.3 |\n| another |         |\n"
        );
        assert_eq!(grid.to_json()[0], json!({"of": "one", "seconds": 2.345}));
    }
}
