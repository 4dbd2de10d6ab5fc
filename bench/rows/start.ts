import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BenchRow } from '../table/bench-row.ts';

const key = 'svc_start';

/**
 * Time from the start of a process to its first response: the backend with its usual browsers on an existing data
 * folder, and an empty server of the same framework. Each is started in every round; the backend reuses compiled code.
 */
export const start: BenchRow = {
  ids: ['start'],
  async measure(stage) {
    const folder = stage.folder('start');
    const backend = ['bin/svc.mjs', 'serve', '--port', '0', '--data', folder, '--bootstrap-key', key];
    const bare = [join(import.meta.dirname, '../empty-server.ts')];
    const ours: number[] = [];
    const anchor: number[] = [];
    for (let round = 0; round <= stage.rounds; round += 1) {
      const [one, other] = [await getTime(backend), await getTime(bare)];
      // The first start creates the data folder and compiles.
      if (round === 0) continue;
      ours.push(one);
      anchor.push(other);
    }
    return [{ id: 'start', ours, anchor }];
  },
};

async function getTime(args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const response = await fetch(`${await getAddress(child)}/healthz`);
    await response.text();
    return performance.now() - begun;
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
}

function getAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('a server was started without a way to hear it');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /^listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`a server ended with exit code ${code} before it listened`)));
  });
}
