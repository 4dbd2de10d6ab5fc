import { readFileSync } from 'node:fs';
import type { BenchRow, Rounds, Unmeasured } from '../table/bench-row.ts';
import type { FigureId } from '../table/goals.ts';

const evidence = 'docs/evidence/peers.md';
const evidenceToFirst = 'docs/evidence/first-failure.md';

/**
 * Requests per detected broken server, from the last runs of `npm run bench:peers`. Compares complete runs of the
 * suite, and runs up to the first failure, with the tool that detects most. If several tools detect equally many, the
 * tool with the fewest requests per detection counts.
 */
export const requestsPerKill: BenchRow = {
  ids: ['requests-per-kill', 'requests-to-first-kill'],
  async measure() {
    const page = readFileSync(evidence, 'utf8');
    const tools = getTools(page);
    const [whole] = tools;
    const others = tools.filter(({ name }) => !name.startsWith('svc '));
    const best = others.toSorted((one, other) => other.kills - one.kills || perKill(one) - perKill(other))[0];
    const pageToFirst = readFileSync(evidenceToFirst, 'utf8');
    const [toFirst] = getTools(pageToFirst);
    return [
      getFigure('requests-per-kill', { ours: whole, best, file: evidence, page }),
      getFigure('requests-to-first-kill', { ours: toFirst, best, file: evidenceToFirst, page: pageToFirst }),
    ];
  },
};

interface Compared {
  readonly ours: Tool | undefined;
  readonly best: Tool | undefined;
  /** Name of the evidence file; `page` is its text. */
  readonly file: string;
  readonly page: string;
}

function getFigure(id: FigureId, { ours, best, file, page }: Compared): Rounds | Unmeasured {
  if (ours === undefined || best === undefined) return { id, unmeasured: `${file} or ${evidence} names no tools` };
  const commit = /at commit (\w+)/.exec(page)?.[1] ?? 'unknown';
  const note = `${file} of ${commit}: ours kills ${ours.kills} of ${ours.of}, ${best.name} ${best.kills} of ${best.of} with whole runs; median of their requests`;
  return { id, ours: [perKill(ours)], anchor: [perKill(best)], note };
}

interface Tool {
  readonly name: string;
  readonly kills: number;
  /** Number of broken servers that the tool was run against. */
  readonly of: number;
  readonly requests: number;
}

function perKill({ kills, of, requests }: Tool): number {
  return (requests * of) / kills;
}

/** Returns the tools in the tables of an evidence page, in the order of the columns. The suite is the first tool. */
function getTools(page: string): Tool[] {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const named = (start: string): string[] => rows.find(([first = '']) => first.startsWith(start))?.slice(1) ?? [];
  const [names, kills, requests] = [named('class'), named('**all that it was run'), named('requests, median')];
  return names.flatMap((name, column) => {
    const [killed, of] = (kills[column] ?? '').split('/').map(Number);
    const sent = Number(requests[column]);
    return killed === undefined || of === undefined || Number.isNaN(sent) || Number.isNaN(killed)
      ? []
      : [{ name, kills: killed, of, requests: sent }];
  });
}
