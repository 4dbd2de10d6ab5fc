import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findCycles, folderGraph } from './graph.ts';
import { measureTree } from './measure-tree.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-measure-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const lines = (count: number, first = ''): string => `${first}\n${'// line\n'.repeat(count - 1)}`;

/** Files of a small repository in which every row has a value other than zero. */
const tree: Record<string, string> = {
  'package.json': '{ "imports": { "#lib/*.ts": "./src/lib/*.ts" } }',
  'README.md': '# Title\n\n![report](docs/images/report.png)\n',
  'docs/images/report.png': '',
  'docs/decisions/001-a.md': 'one two three',
  'docs/decisions/README.md': 'an index is no record',
  'docs/evidence/bench-history.jsonl': '{"figures":{"get-session":{"value":0.5}}}\n{"figures":{}}\n',
  'spec/rules/lifecycle.yaml':
    'machines: [{ states: [{ name: idle }, { name: error }] }]\nviews: [{ run: crashed, status: failed }]\n',
  'src/lib/json.ts': lines(40),
  'src/api/index.ts': lines(
    20,
    "/**\n * One.\n * Two.\n * Three.\n */\nimport '../store/rows.ts';\nimport '#lib/json.ts';",
  ),
  'src/store/rows.ts': lines(70, "import type { Api } from '../api/index.ts';\ndb.selectFrom('rows');"),
  'src/api/a/b/c/deep.ts': lines(10, "db.selectFrom('rows');\nconst state: 'idle' = 'idle';\nconst level = 'error';"),
  'src/contract/states.ts': lines(80, "export const state = 'idle';"),
  'src/api/api.test.ts': "db.selectFrom('rows');\nconst state = 'crashed';",
};
for (const [file, text] of Object.entries(tree)) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
execFileSync('git', ['init', '-q'], { cwd: root });

it('measures each row from the files of the tree', () => {
  const now = Object.fromEntries(measureTree(root).map((row) => [row.id, row.now]));
  expect(now).toEqual({
    'production-files': [5],
    'median-lines': [40],
    'tiny-files': [1],
    'lone-files': [1],
    'deep-files': [1],
    'sql-outside-store': [1],
    'state-literals': [1],
    'indexed-folders': [20],
    'largest-cycle': [2],
    'cyclic-folders': [2, 0, 0],
    'largest-fan-in': [1],
    'decision-records': [1],
    'decision-words': [3],
    readme: [3, 1],
    'top-files': [2],
    'get-session': [0.5],
  });
});

it('compares each value with its target', () => {
  const isMet = Object.fromEntries(measureTree(root).map((row) => [row.id, row.isMet]));
  expect(isMet).toMatchObject({
    'production-files': true,
    'median-lines': false,
    'deep-files': false,
    'indexed-folders': false,
    'cyclic-folders': false,
    'largest-fan-in': true,
    readme: false,
    'get-session': true,
  });
});

it('finds the strongly connected components of a graph, the largest first', () => {
  const graph = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['a', 'c'])],
    ['c', new Set(['d'])],
    ['d', new Set(['e'])],
    ['e', new Set(['c', 'absent'])],
    ['f', new Set(['f'])],
  ]);
  expect(findCycles(graph).map((cycle) => cycle.toSorted())).toEqual([
    ['c', 'd', 'e'],
    ['a', 'b'],
  ]);
});

it('groups files by the folder below a root, without the files of the root itself', () => {
  const graph = new Map([
    ['r/a/x.ts', new Set(['r/b/y.ts', 'r/a/z.ts'])],
    ['r/b/y.ts', new Set(['r/main.ts'])],
    ['r/main.ts', new Set(['r/a/x.ts'])],
    ['other/w.ts', new Set(['r/a/x.ts'])],
  ]);
  expect(folderGraph(graph, 'r')).toEqual(
    new Map([
      ['a', new Set(['b'])],
      ['b', new Set()],
    ]),
  );
});
