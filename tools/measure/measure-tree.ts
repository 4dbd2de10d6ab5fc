import { documentRows } from './document-rows.ts';
import { graphRows } from './graph-rows.ts';
import type { MeasureRow } from './row.ts';
import { readProductionFiles } from './source-files.ts';
import { sourceRows } from './source-rows.ts';

/** Measures the tree below a root folder. The order of the rows is the order of the table. */
export function measureTree(root: string): MeasureRow[] {
  const files = readProductionFiles(root);
  return [...sourceRows(root, files), ...graphRows(files), ...documentRows(root)];
}
