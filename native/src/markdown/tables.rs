//! Tables: GFM where the table is one, blocks in reading order where it only lays out a page. Twin of `tables.py`.

use crate::html::tag::Tag;
use crate::html::tree::{Document, Node};
use crate::html::walk::{find, has, text_of};
use crate::markdown::code::{code_text, is_code_block};
use crate::markdown::escaping::code_span;
use crate::markdown::writer::Writer;
use crate::spaces::{is_blank, strip};
use crate::tables::{class, element};

const MAX_FIELDS: usize = 20_000;
const MAX_COLUMNS: usize = 500;

struct Row {
    header: bool,
    cells: Vec<u32>,
    element: Option<u32>,
}

impl Writer<'_, '_, '_, '_, '_> {
    /// A table as blocks: its captions, then one GFM table, or what it lays out.
    pub fn table(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let (rows, captions) = rows_of(document, element);
        self.meet_parts(element);
        for child in elements_in(document, element) {
            self.meet_parts(child);
        }
        let mut blocks = Vec::new();
        for caption in &captions {
            blocks.append(&mut self.blocks(document.children(*caption), depth));
        }
        if rows.is_empty() {
            let is_caption = |node: &Node| matches!(node, Node::Element(own) if captions.contains(own));
            let rest: Vec<Node> =
                document.children(element).iter().copied().filter(|node| !is_caption(node)).collect();
            blocks.append(&mut self.blocks(&rest, depth));
            return blocks;
        }
        for part in parts(document, rows) {
            blocks.append(&mut self.part(element, &part, depth));
        }
        blocks
    }

    /// The anchors of what is no row and no cell, and of rows without cells.
    fn meet_parts(&mut self, holder: u32) {
        let document = self.document;
        for part in elements_in(document, holder) {
            let tag = document.tag(part);
            let has_cells = tag.name == "tr" && !elements_in(document, part).is_empty();
            if tag.is & element::PART != 0 && !tag.attrs.is_empty() && !has_cells {
                self.anchors.meet(tag);
            }
        }
    }

    /// Boxes in as many columns as the first row has headers; as blocks where they do not fill the rows.
    pub fn table_of_boxes(&mut self, element: u32, depth: usize) -> Vec<String> {
        let document = self.document;
        let is_header = |cell: &&u32| document.tag(**cell).has("table-header");
        let cells = elements_in(document, element);
        let columns = cells.iter().filter(is_header).count();
        if columns == 0 || cells.len() % columns != 0 || cells[columns..].iter().any(|cell| is_header(&cell))
        {
            return self.blocks(document.children(element), depth);
        }
        let rows = cells.chunks(columns).enumerate();
        let rows: Vec<Row> = rows
            .map(|(place, cells)| Row { header: place == 0, cells: cells.to_vec(), element: None })
            .collect();
        self.part(element, &rows, depth)
    }

    fn part(&mut self, element: u32, rows: &[Row], depth: usize) -> Vec<String> {
        let grid = if is_layout(self.document, element, rows) { None } else { grid(self.document, rows) };
        let Some(grid) = grid else {
            return self.unrolled(rows, depth);
        };
        let mut blocks = Vec::from_iter(self.standing());
        let mut lines = Vec::with_capacity(grid.len() + 2);
        for (row, fields) in rows.iter().zip(&grid) {
            self.meet_row(row);
            let fields: Vec<String> =
                fields.iter().map(|cell| cell.map_or_else(String::new, |cell| self.cell(cell))).collect();
            lines.push(line_of(&fields));
        }
        if !rows[0].header {
            lines.insert(0, line_of(&vec![String::new(); grid[0].len()]));
        }
        lines.insert(1, line_of(&self.rules(&grid, rows[0].header)));
        blocks.push(lines.join("\n"));
        blocks
    }

    fn meet_row(&mut self, row: &Row) {
        if let Some(element) = row.element {
            self.anchors.meet(self.document.tag(element));
        }
    }

    /// What stands under the header, a field a column: how it is aligned.
    fn rules(&self, grid: &[Vec<Option<u32>>], header: bool) -> Vec<&'static str> {
        let lines =
            grid.iter().map(|line| line.iter().map(|cell| cell.and_then(|cell| self.alignment(cell))));
        let aligned: Vec<Vec<Option<String>>> = lines.map(Iterator::collect).collect();
        let rule = |column: usize| {
            let mut said = aligned.iter().map(|line| line[column].as_deref());
            let of_header = if header { said.next().flatten() } else { None };
            let mut of_cells: Vec<&str> = said.flatten().collect();
            of_cells.dedup();
            let of_cells = match of_cells[..] {
                [only] => only,
                _ => "",
            };
            match of_header.filter(|name| !name.is_empty()).unwrap_or(of_cells) {
                "left" => ":---",
                "right" => "---:",
                "center" => ":---:",
                _ => "---",
            }
        };
        (0..grid[0].len()).map(rule).collect()
    }

    /// `left`, `right`, `center`, nothing; None of a cell that has no text to align.
    fn alignment(&self, cell: u32) -> Option<String> {
        let tag = self.document.tag(cell);
        if tag.attrs.is_empty() {
            return (!self.document.children(cell).is_empty()).then(String::new);
        }
        let style = tag.value("style");
        if !style.is_empty() {
            let stated = self.ask.alignment(style);
            if !stated.is_empty() {
                return Some(stated);
            }
        }
        let stated = strip(tag.value("align")).to_lowercase();
        if !stated.is_empty() {
            return Some(stated);
        }
        let aligned = &self.tables.lists.aligned;
        let mut named = tag.classes().filter_map(|name| aligned.iter().find(|(own, _)| own == name));
        Some(named.next().map_or_else(String::new, |(_, how)| how.clone()))
    }

    fn cell(&mut self, cell: u32) -> String {
        let mut lines = Vec::new();
        self.anchors.meet(self.document.tag(cell));
        self.gather_lines(self.document.children(cell), &mut lines);
        let text = lines.join("<br>");
        if text.contains('|') {
            text.replace('|', "\\|")
        } else {
            text
        }
    }

    /// The lines of a cell: each block is one, each list item begins with a dash.
    fn gather_lines(&mut self, nodes: &[Node], lines: &mut Vec<String>) {
        let document = self.document;
        let mut inline = Vec::new();
        for node in nodes {
            let element = match *node {
                Node::Element(element) if self.holds_block(element) => element,
                _ => {
                    inline.push(*node);
                    continue;
                }
            };
            self.settle_line(&mut inline, lines);
            self.anchors.meet(document.tag(element));
            if is_code_block(document.tag(element)) {
                let code = code_text(document, element);
                lines.extend(code.split('\n').filter(|line| !is_blank(line)).map(code_span));
                continue;
            }
            let before = lines.len();
            self.gather_lines(document.children(element), lines);
            if document.tag(element).name == "li" && lines.len() > before {
                lines[before].insert_str(0, "- ");
            }
        }
        self.settle_line(&mut inline, lines);
    }

    fn settle_line(&mut self, inline: &mut Vec<Node>, lines: &mut Vec<String>) {
        if !inline.is_empty() {
            lines.extend(Some(self.line(inline, "<br>")).filter(|line| !line.is_empty()));
            inline.clear();
        }
    }

    fn unrolled(&mut self, rows: &[Row], depth: usize) -> Vec<String> {
        let document = self.document;
        let mut blocks = Vec::new();
        for row in rows {
            self.meet_row(row);
            for cell in &row.cells {
                let tag = document.tag(*cell);
                if tag.named & class::NUMBERS == 0 {
                    self.anchors.meet(tag);
                    blocks.append(&mut self.blocks(document.children(*cell), depth));
                }
            }
        }
        blocks
    }
}

fn line_of(fields: &[impl std::borrow::Borrow<str>]) -> String {
    format!("| {} |", fields.join(" | "))
}

fn elements_in(document: &Document, element: u32) -> Vec<u32> {
    let children = document.children(element).iter();
    children.filter_map(|node| if let Node::Element(own) = node { Some(*own) } else { None }).collect()
}

/// The rows between rows that are only a heading, and these on their own; lines that only part go.
fn parts(document: &Document, rows: Vec<Row>) -> Vec<Vec<Row>> {
    let is_heading = |tag: &Tag| tag.is & element::HEADING != 0;
    let mut parts = Vec::new();
    let mut part = Vec::new();
    for row in rows {
        if row.cells.len() > 1 || !has(document, document.children(row.cells[0]), is_heading) {
            part.push(row);
        } else {
            parts.extend([std::mem::take(&mut part), vec![row]]);
        }
    }
    parts.push(part);
    if parts.len() > 1 {
        for part in &mut parts {
            part.retain(|row| !is_separator(document, row));
        }
        parts.retain(|part| !part.is_empty());
    }
    parts
}

fn is_separator(document: &Document, row: &Row) -> bool {
    let [cell] = row.cells[..] else { return false };
    span(document.tag(cell), "colspan") > 1 && text_of(document, document.children(cell)).is_empty()
}

fn rows_of(document: &Document, table: u32) -> (Vec<Row>, Vec<u32>) {
    let (mut rows, mut captions) = (Vec::new(), Vec::new());
    for part in elements_in(document, table) {
        match document.tag(part).name {
            "caption" => captions.push(part),
            "tr" => rows.extend(row_of(document, part, false)),
            name @ ("thead" | "tbody" | "tfoot") => {
                let lines =
                    elements_in(document, part).into_iter().filter(|own| document.tag(*own).name == "tr");
                rows.extend(lines.filter_map(|line| row_of(document, line, name == "thead")));
            }
            _ => {}
        }
    }
    (rows, captions)
}

fn row_of(document: &Document, line: u32, in_head: bool) -> Option<Row> {
    let name = |cell: &u32| document.tag(*cell).name;
    let cells: Vec<u32> =
        elements_in(document, line).into_iter().filter(|cell| matches!(name(cell), "td" | "th")).collect();
    let header = in_head || cells.iter().all(|cell| name(cell) == "th");
    (!cells.is_empty()).then_some(Row { header, cells, element: Some(line) })
}

fn is_layout(document: &Document, table: u32, rows: &[Row]) -> bool {
    let tag = document.tag(table);
    if matches!(tag.role(), "presentation" | "none") || tag.named & class::LAYOUT != 0 {
        return true;
    }
    if rows.iter().all(|row| row.cells.len() <= 1) {
        return true;
    }
    let below = |cell: &u32| document.children(*cell);
    if rows.len() == 1 && rows[0].cells.iter().any(|cell| has(document, below(cell), |tag| tag.name == "pre"))
    {
        return true;
    }
    let too_much = &mut |own: u32, tag: &Tag| {
        tag.is & element::HEADING != 0
            || tag.name == "table"
            || (is_code_block(tag) && code_text(document, own).trim_matches('\n').contains('\n'))
    };
    rows.iter().flat_map(|row| &row.cells).any(|cell| find(document, below(cell), too_much).is_some())
}

/// The fields, spans expanded; None when there are too many.
fn grid(document: &Document, rows: &[Row]) -> Option<Vec<Vec<Option<u32>>>> {
    let mut grid: Vec<Vec<Option<u32>>> = Vec::with_capacity(rows.len());
    let mut reserved: Vec<usize> = Vec::new();
    let mut total = 0;
    for row in rows {
        let mut line = Vec::new();
        let mut following = Vec::new();
        let fill = |line: &mut Vec<Option<u32>>| {
            while reserved.get(line.len()).is_some_and(|left| *left > 0) {
                line.push(None);
            }
        };
        for cell in &row.cells {
            fill(&mut line);
            let tag = document.tag(*cell);
            let (column, width, height) = (line.len(), span(tag, "colspan"), span(tag, "rowspan"));
            line.push(Some(*cell));
            line.resize(column + width, None);
            if height > 1 {
                following.push((column..column + width, height - 1));
            }
        }
        fill(&mut line);
        for left in &mut reserved {
            *left = left.saturating_sub(1);
        }
        for (columns, height) in following {
            reserved.resize(reserved.len().max(columns.end), 0);
            reserved[columns].fill(height);
        }
        total += line.len();
        if line.len() > MAX_COLUMNS || total > MAX_FIELDS {
            return None;
        }
        grid.push(line);
    }
    let width = grid.iter().map(Vec::len).max()?;
    if width * grid.len() > MAX_FIELDS {
        return None;
    }
    for line in &mut grid {
        line.resize(width, None);
    }
    Some(grid)
}

fn span(tag: &Tag, name: &str) -> usize {
    let text = strip(tag.get(name).unwrap_or("1"));
    let is_number = (1..10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        text.parse().unwrap_or(1).clamp(1, 1_000)
    } else {
        1
    }
}
