import { findCycles, folderGraph } from './graph.ts';
import { type MeasureRow, rowAtMost } from './row.ts';
import type { SourceFile } from './source-files.ts';

/** Folders that may have any number of importers. */
const sharedFolders = /^(?:conformance\/core|src\/lib|src\/contract)\//;

/** Measures the graph of imports: cycles of files and folders, and the most imported file. */
export function graphRows(files: readonly SourceFile[]): MeasureRow[] {
  const graph = new Map(files.map(({ path, imports }) => [path, new Set(imports)]));
  const cyclicFolders = (root: string): number => findCycles(folderGraph(graph, root)).flat().length;
  return [
    rowAtMost(
      {
        id: 'largest-cycle',
        label: 'largest cycle of files, type imports included',
        now: [findCycles(graph)[0]?.length ?? 0],
      },
      0,
    ),
    rowAtMost(
      {
        id: 'cyclic-folders',
        label: 'cyclic folders: src / conformance / src/browsers',
        now: ['src', 'conformance', 'src/browsers'].map(cyclicFolders),
      },
      0,
    ),
    rowAtMost(
      {
        id: 'largest-fan-in',
        label: 'most importers of a file outside core, lib, contract',
        now: [largestFanIn(files)],
      },
      50,
    ),
  ];
}

function largestFanIn(files: readonly SourceFile[]): number {
  const importers = new Map<string, number>();
  for (const path of files.flatMap(({ imports }) => imports))
    if (!sharedFolders.test(path)) importers.set(path, (importers.get(path) ?? 0) + 1);
  return Math.max(0, ...importers.values());
}
