import { cpSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BenchRow } from '../table/bench-row.ts';
import type { FigureId } from '../table/goals.ts';
import type { Stage } from '../table/stage.ts';

/** Up to three runs of `npm run generate`. */
export const generate: BenchRow = command('generate', 3, async () =>
  getSeconds('npm', ['run', '--silent', 'generate']),
);

/** One run of `npm test`. */
export const tests: BenchRow = command('tests', 1, async () => getSeconds('npm', ['test', '--silent']));

/** Two runs of `npm ci` in a new folder; the first fills npm's cache and does not count. */
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
