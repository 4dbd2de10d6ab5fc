import { cpSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BenchRow } from '../table/bench-row.ts';
import type { FigureId } from '../table/goals.ts';
import type { Stage } from '../table/stage.ts';
import { runProgram } from '../run-program.ts';
import { checkArgs, countExchanges } from './free-suite.ts';

/** Measures up to three runs of `npm run generate`. */
export const generate: BenchRow = command('generate', 3, async () =>
  getSeconds('npm', ['run', '--silent', 'generate']),
);

/** Measures one run of `npm test`. */
export const tests: BenchRow = command('tests', 1, async () => getSeconds('npm', ['test', '--silent']));

/** Measures the second of two runs of `npm ci` in a new folder. The first run fills the cache of npm. */
export const install: BenchRow = command('install', 1, async (stage) => {
  const folder = stage.folder('install');
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(file, join(folder, file));
  const run = (): Promise<number> => getSeconds('npm', ['ci', '--silent', '--prefer-offline', '--no-audit'], folder);
  await run();
  rmSync(join(folder, 'node_modules'), { recursive: true });
  return run();
});

function command(id: FigureId, rounds: number, work: (stage: Stage) => Promise<number>): BenchRow {
  return {
    ids: [id],
    async measure(stage) {
      const ours: number[] = [];
      for (let round = 0; round < Math.min(stage.rounds, rounds); round += 1) ours.push(await work(stage));
      return [{ id, ours, anchor: [] }];
    },
  };
}

async function getSeconds(program: string, args: readonly string[], cwd?: string): Promise<number> {
  const begun = performance.now();
  const child = spawn(program, args, { stdio: 'ignore', ...(cwd === undefined ? {} : { cwd }) });
  const [code]: unknown[] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with exit code ${String(code)}`);
  return (performance.now() - begun) / 1000;
}

/**
 * Processor time of `svc judge` for a recording with at least 10,000 exchanges, against JSON.parse of its file. Each
 * runs in a new process. Processor time suffices, because neither waits for anything.
 */
export const judge: BenchRow = {
  ids: ['judge'],
  async measure(stage) {
    const har = await record(stage);
    const exchanges = countExchanges(har);
    const ours: number[] = [];
    const anchor: number[] = [];
    const usageFile = join(stage.folder('judge'), 'usage.json');
    for (let round = 0; round < Math.min(stage.rounds, 3); round += 1) {
      const judged = await runProgram({ args: ['src/cli/main.ts', 'judge', har], codes: [0, 1], usageFile });
      ours.push(judged.processorSeconds * 1000);
      anchor.push(Number((await runProgram({ args: ['bench/parse-file.ts', har] })).printed));
    }
    return [
      { id: 'judge', ours, anchor, note: `${exchanges} exchanges; processor time, ours with the start of its process` },
    ];
  },
};

/**
 * Records a run of `svc check` with every cell of every matrix and 70 random scripts for each life cycle: more than
 * 10,000 exchanges. Returns the path of the HAR file.
 */
async function record(stage: Stage): Promise<string> {
  const { address, key } = await stage.service(
    'recorded',
    '--hosts',
    'simulated',
    '--sessions-max',
    '1000',
    '--control',
    '127.0.0.1:0',
  );
  const folder = stage.folder('judge');
  const har = join(folder, 'run.har');
  const all = ['--profile', 'full', '--matrix', 'full', '--max-dispatches', '20000', '--stateful-runs', '70'];
  const args = checkArgs(address, 'task', { json: join(folder, 'report.json'), har });
  await runProgram({ args: [...args, ...all], env: { SERVICE_API_KEY: key }, codes: [0, 1] });
  await stage.end('recorded');
  return har;
}
