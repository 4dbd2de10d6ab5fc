const ofRow = /^\s*- row\b/;
const ofCell = /^\s*- (?:cell|columnheader|rowheader)(?: "((?:[^"\\]|\\.)*)")?/;
const named = /^\s*- \w+ "((?:[^"\\]|\\.)*)"/;
const saying = /: "?(.+?)"?$/;

/**
 * Returns the rows of all tables in a page outline, each as the texts of its cells. If a cell has several texts,
 * returns the first.
 */
export function readRows(outline: string): string[][] {
  const rows: string[][] = [];
  for (const line of outline.split('\n')) {
    const row = rows.at(-1);
    const cell = ofCell.exec(line);
    if (ofRow.test(line)) rows.push([]);
    else if (cell !== null) row?.push(cell[1] ?? readText(line));
    else if (row?.at(-1) === '') row[row.length - 1] = readText(line);
  }
  return rows;
}

function readText(line: string): string {
  return named.exec(line)?.[1] ?? saying.exec(line)?.[1] ?? '';
}
