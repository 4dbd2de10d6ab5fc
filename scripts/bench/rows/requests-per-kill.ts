import { readFileSync } from 'node:fs';
import type { BenchRow } from '../table/bench-row.ts';

const evidence = 'docs/evidence/peers.md';

/**
 * Requests that a tool sends for each broken server that it finds, from the last run of `npm run bench:peers`: ours, against the one of the
 * others that finds most, and of several that find as many the one that sends fewest.
 */
export const requestsPerKill: BenchRow = {
  ids: ['requests-per-kill'],
  async measure() {
    const page = readFileSync(evidence, 'utf8');
    const commit = /at commit (\w+)/.exec(page)?.[1] ?? 'unknown';
    const [ours, ...others] = toolsOf(page);
    const best = others.toSorted((one, other) => other.kills - one.kills || perKill(one) - perKill(other))[0];
    if (ours === undefined || best === undefined)
      return [{ id: 'requests-per-kill', unmeasured: `${evidence} names no tools` }];
    const note = `${evidence} of ${commit}: ours kills ${ours.kills}, ${best.name} ${best.kills} of ${ours.of}; whole runs, median of their requests`;
    return [{ id: 'requests-per-kill', ours: [perKill(ours)], anchor: [perKill(best)], note }];
  },
};

interface Tool {
  readonly name: string;
  readonly kills: number;
  /** Broken servers that it was run against. */
  readonly of: number;
  readonly requests: number;
}

function perKill({ kills, of, requests }: Tool): number {
  return (requests * of) / kills;
}

/** Tools that were run, ours first, as the tables of the page have them. */
function toolsOf(page: string): Tool[] {
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
