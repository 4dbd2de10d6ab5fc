import { table } from '../../tools/pages/markdown.ts';
import type { Held } from './measure-held.ts';
import type { FuzzResult } from './run-fuzz.ts';

/** What a page says besides the result. */
export interface FuzzRun {
  readonly seed: number;
  readonly seconds: number;
  readonly commit: string;
  /** Day, as 2026-01-31. */
  readonly day: string;
  /** Operations of the documents. */
  readonly operations: number;
}

const mebibyte = 1024 * 1024;

/** docs/evidence/fuzz.md of a run. */
export function fuzzPage(result: FuzzResult, { seed, seconds, commit, day, operations }: FuzzRun): string {
  const { sent, statuses, succeeded, rests, faults } = result;
  const answered = [...statuses].toSorted(([left], [right]) => left - right);
  const kinds = [...faults.kinds.values()];
  return `${[
    '# Fuzz',
    `Written by \`npm run long -- fuzz --requests ${sent} --seed ${seed}\` on commit ${commit}, ${day}.`,
    `${sent} requests in ${seconds} s, 24 at once, to \`svc serve --hosts simulated\`: a fifth of them bytes on a socket (broken HTTP/1.1, pipelines, upgrades, websocket frames), the others calls of the ${operations} operations, as their documents want them or not, and of signed addresses. ${succeeded.size} of the operations have succeeded meanwhile. ${kinds.length} kinds of faults.`,
    'A fault is an answer of 500 or more, a connection that is not ended, no answer, an answer without a request id, with a status or body that its document does not have, with the inside of the service in it, a success without a key or with a body that the document refuses, more or fewer answers than requests on one connection, an error in the log, an end of the process, and growth between the second rest and the last.',
    table(
      ['Answer', 'Times'],
      answered.map(([status, times]) => [status === 0 ? 'closed without a word' : String(status), String(times)]),
    ),
    '## At rest',
    'After each tenth everything is ended and deleted, 40 days pass, and what is left is measured after a collection. Rows: all but the meters of deleted sessions, runs and browsers, and archived workspaces.',
    table(['After', 'Heap (MiB)', 'Resident (MiB)', 'Resources', 'Descriptors', 'Files', 'Rows'], rests.map(rowOf)),
    ...(kinds.length === 0
      ? []
      : ['## Faults', kinds.map(({ text, times }) => `- ${times} times: ${text.replaceAll('\n', ' ')}`).join('\n')]),
  ].join('\n\n')}\n`;
}

function rowOf({ after, heapBytes, residentBytes, resources, descriptors, files, rows }: Held): string[] {
  const meters = new Set(['sessions', 'runs', 'browsers', 'workspaces', 'projects', 'api_keys']);
  const others = [...rows].filter(([name]) => !meters.has(name)).reduce((sum, [, count]) => sum + count, 0);
  return [
    String(after),
    (heapBytes / mebibyte).toFixed(1),
    (residentBytes / mebibyte).toFixed(0),
    String(resources),
    String(descriptors),
    String(files),
    String(others),
  ];
}
