import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { readCount } from '../src/cli/flag-values.ts';
import { benchCrowd } from './crowd.ts';
import { benchSessions } from './sessions.ts';
import { figureIds } from './table/goals.ts';
import { historyFile, keepRun } from './table/history.ts';
import { runTable } from './table/run-table.ts';
import { createStage } from './table/stage.ts';
import { tableLines } from './table/table-lines.ts';
import { runLoad } from './load/run-load.ts';
import { benchStored } from './load/stored.ts';
import { measureConnectionGrowth } from './growth/connections.ts';
import { measureDataGrowth, measureRecordingGrowth } from './growth/data.ts';
import { measureLivingGrowth } from './growth/living.ts';
import { type Grown, grownLines } from './growth/grown.ts';

const program = new Command('npm run bench --')
  .description(
    'Prints each figure beside the barest program that does the same, measured in alternating rounds. Without names it measures the table except tests and install, in less than 15 minutes.',
  )
  .argument('[names...]', 'figures by the beginning of their names, or one of growth, load, sessions, crowd')
  .option('--rounds <count>', 'number of rounds', readCount, 5)
  .option('--json <file>', 'file for the table as JSON')
  .option('--no-history', `do not add the whole table to ${historyFile}`)
  .option('--minutes <count>', 'minutes of polling in load', readCount, 3)
  .addHelpText(
    'after',
    `
Parts:
  growth    the figures at 10 and 100 times the data or connections
  load      500 clients and 20 creations a second, then a million stored sessions
  sessions  200 sessions at once on a slow model
  crowd     20 browsers at once, repeatedly

Figures:
  ${figureIds.join(' ')}

Example:
  npm run bench -- create judge --rounds 3`,
  )
  .showHelpAfterError()
  .parse();
const { args: positionals } = program;
const values = program.opts<{ rounds: number; json?: string; history: boolean; minutes: number }>();

const parts: Readonly<Record<string, (folder: string) => Promise<readonly string[]>>> = {
  growth: benchGrowth,
  load: (folder) => benchLoad(folder, values.minutes),
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
if (unknown.length > 0)
  program.error(`error: found ${unknown.join(', ')}. Expected names of figures, or one part. Next: see --help`);
if (part !== undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  try {
    for (const line of await part(folder)) console.log(line);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else await table();

async function table(): Promise<void> {
  const onProgress = (text: string): void => console.error(`measures ${text}`);
  const run = await runTable({ only: positionals, rounds: values.rounds, onProgress });
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

/** Measures the service under load: many clients at once for some minutes, then many stored sessions. */
async function benchLoad(folder: string, minutes: number): Promise<string[]> {
  const load = join(folder, 'clients');
  mkdirSync(load, { recursive: true });
  return [...(await runLoad(load, minutes)), ...(await benchStored(join(folder, 'stored')))];
}

/**
 * Measures figures at sizes that differ by a factor of ten: numbers of stored sessions, connections, active sessions or
 * exchanges. Returns one line per figure, and marks a figure whose cost per unit grows.
 */
async function benchGrowth(folder: string): Promise<string[]> {
  const grown: Grown[] = [
    ...(await measureDataGrowth(join(folder, 'data'))),
    ...(await measureConnectionGrowth()),
    ...(await measureLivingGrowth()),
    ...(await measureRecordingGrowth()),
  ];
  return grownLines(grown);
}
