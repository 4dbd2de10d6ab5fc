import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchCrowd } from './bench/crowd.ts';
import { benchGrowth } from './bench/growth.ts';
import { benchLoad } from './bench/load.ts';
import { benchSessions } from './bench/sessions.ts';
import { figureIds } from './bench/table/goals.ts';
import { historyFile, keepRun } from './bench/table/history.ts';
import { runTable } from './bench/table/run-table.ts';
import { createStage } from './bench/table/stage.ts';
import { tableLines } from './bench/table/table-lines.ts';

/**
 * npm run bench                  one table: each figure beside the barest thing that does the same, measured in turns; below 15 minutes
 * npm run bench -- create judge  only these figures, by the beginnings of their names (scripts/bench/table/goals.ts)
 * npm run bench -- growth        the same at 10 and 100 times the data or connections
 * npm run bench -- load          500 clients and 20 creations a second for --minutes, then a million stored sessions
 * npm run bench -- sessions      200 sessions at once on a model that takes its time
 * npm run bench -- crowd         20 browsers at once, again and again
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    /** How often ours and the anchor take turns. */
    rounds: { type: 'string', default: '5' },
    /** Where the table is written as JSON. */
    json: { type: 'string' },
    /** Whether a whole table is added to docs/evidence/bench-history.jsonl. */
    history: { type: 'boolean', default: true },
    /** How long clients poll in `load`. */
    minutes: { type: 'string', default: '3' },
  },
});

const parts: Readonly<Record<string, (folder: string) => Promise<readonly string[]>>> = {
  growth: benchGrowth,
  load: (folder) => benchLoad(folder, Number(values.minutes)),
  sessions: (folder) => benchSessions(folder, 'svc_sessions'),
  crowd: async () => {
    await using stage = createStage(1);
    const service = await stage.service('crowd', '--sessions-max', '100');
    return benchCrowd(service, service);
  },
};

const [first = ''] = positionals;
const part = parts[first];
const unknown = positionals.filter((name) => parts[name] === undefined && !figureIds.some((id) => id.startsWith(name)));
if (unknown.length > 0) {
  console.error(`found ${unknown.join(', ')}, expected ${[...Object.keys(parts), ...figureIds].join(', ')}`);
  process.exitCode = 2;
} else if (part !== undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    for (const line of await part(folder)) console.log(line);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else await table();

async function table(): Promise<void> {
  const onProgress = (text: string): void => console.error(`measures ${text}`);
  const run = await runTable({ only: positionals, rounds: Number(values.rounds), onProgress });
  for (const line of tableLines(run.lines)) console.log(line);
  for (const { hashMs, syncMs } of run.calibration)
    console.log(
      `the machine: SHA-256 of 4 MiB ${hashMs.toFixed(1)} ms, a synced write ${syncMs.toFixed(2)} ms; load ${run.load}`,
    );
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(run, null, 2)}\n`);
  if (positionals.length > 0 || !values.history) return;
  keepRun(run);
  console.log(`added to ${historyFile}`);
}
