import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { besideThread } from '#lib/testing/thread-time.ts';
import type { Attack } from './testing/attacked-worker.ts';
import { type PoolLimits } from './worker-process.ts';
import { type WorkerPool, createWorkerPool } from './worker-pool.ts';

const mib = 1_048_576;
const limits: PoolLimits = {
  processes: 2,
  perOwner: 1,
  waitingPerOwner: 100,
  timeMs: 400,
  realMs: 20_000,
  heapBytes: 64 * mib,
  memoryBytes: 256 * mib,
  idleMs: 60_000,
};

const pools: WorkerPool<Attack, unknown>[] = [];
function getPool(changes: Partial<PoolLimits> = {}): WorkerPool<Attack, unknown> {
  const pool = createWorkerPool<Attack, unknown>(new URL('testing/attacked-worker.ts', import.meta.url), {
    ...limits,
    ...changes,
  });
  pools.push(pool);
  return pool;
}
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

const echo = { ok: true, output: 'x' };
/** Returns whether a process exists, by signal 0. */
function isRunning(pid: unknown): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
async function getPid(pool: WorkerPool<Attack, unknown>): Promise<unknown> {
  const result = await pool.run('a', 'pid');
  return result.ok ? result.output : undefined;
}

describe('a job that exceeds its limits', () => {
  test.each<{ attack: Attack; failure: string; changes?: Partial<PoolLimits> }>([
    { attack: 'backtracks', failure: 'time' },
    { attack: 'waits', failure: 'time', changes: { realMs: 3_000 } },
    { attack: 'objects', failure: 'memory', changes: { timeMs: 20_000 } },
    { attack: 'array', failure: 'memory', changes: { timeMs: 20_000 } },
    { attack: 'strings', failure: 'memory', changes: { timeMs: 20_000 } },
    { attack: 'buffers', failure: 'memory', changes: { timeMs: 20_000 } },
  ])('ends with $failure: $attack', async ({ attack, failure, changes }) => {
    const pool = getPool(changes);
    expect(await besideThread(() => pool.run('a', attack))).toEqual({ ok: false, failure });
    expect(await besideThread(() => pool.run('a', { echo: 'x' }))).toEqual(echo);
  });

  test('may write no file', async () => {
    await expect(getPool().run('a', 'writes')).rejects.toThrow('Access to this API has been restricted');
  });
});

describe('a defect of the work', () => {
  test('fails its job and leaves the process', async () => {
    const pool = getPool({ processes: 1 });
    const pid = await getPid(pool);
    await expect(pool.run('a', 'throws')).rejects.toThrow('a defect');
    expect(await getPid(pool)).toBe(pid);
  });

  test('fails its job when it ends the process, and the next job gets another', async () => {
    const pool = getPool({ processes: 1 });
    await expect(pool.run('a', 'exits')).rejects.toThrow('a worker process ended (code 3)');
    expect(await pool.run('a', { echo: 'x' })).toEqual(echo);
  });
});

describe('owners', () => {
  test('an owner whose jobs never end delays no other', async () => {
    const pool = getPool();
    const attacks = Array.from({ length: 3 }, () => pool.run('attacker', 'backtracks'));
    const first = await Promise.race([pool.run('other', { echo: 'x' }), ...attacks]);
    expect(first).toEqual(echo);
    expect(await Promise.all(attacks)).toEqual(attacks.map(() => ({ ok: false, failure: 'time' })));
  });

  test('take turns where one process runs all jobs', async () => {
    const pool = getPool({ processes: 1 });
    const ended: string[] = [];
    const run = async (owner: string): Promise<void> => {
      await pool.run(owner, { echo: 'x' });
      ended.push(owner);
    };
    await Promise.all([run('a'), run('a'), run('a'), run('a'), run('b'), run('b'), run('c')]);
    expect(ended).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
  });

  test('an owner of too many waiting jobs is refused, and no other', async () => {
    const pool = getPool({ waitingPerOwner: 2 });
    const results = Promise.all(Array.from({ length: 4 }, () => pool.run('a', { echo: 'x' })));
    expect(await pool.run('b', { echo: 'x' })).toEqual(echo);
    expect(await results).toEqual([echo, echo, echo, { ok: false, failure: 'busy' }]);
  });
});

describe('processes', () => {
  test('serve many jobs and end when they are idle', async () => {
    const pool = getPool({ idleMs: 200 });
    const pid = await getPid(pool);
    expect(await getPid(pool)).toBe(pid);
    expect(isRunning(pid)).toBe(true);
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 10_000);
    expect(await pool.run('a', { echo: 'x' })).toEqual(echo);
  });

  test('end with the pool, and so does the job that runs and those that wait', async () => {
    const pool = getPool({ processes: 1 });
    const pid = await getPid(pool);
    const jobs = [pool.run('a', 'backtracks'), pool.run('a', { echo: 'x' })];
    await pool.close();
    expect(isRunning(pid)).toBe(false);
    expect(await Promise.all(jobs)).toEqual(jobs.map(() => ({ ok: false, failure: 'closed' })));
    expect(await pool.run('a', { echo: 'x' })).toEqual({ ok: false, failure: 'closed' });
  });

  test('do not keep the process alive that uses them', async () => {
    const { spawn } = await import('node:child_process');
    const script = `
      import { createWorkerPool } from ${JSON.stringify(new URL('worker-pool.ts', import.meta.url).href)};
      const pool = createWorkerPool(new URL(${JSON.stringify(new URL('testing/attacked-worker.ts', import.meta.url).href)}), ${JSON.stringify(limits)});
      const { output } = await pool.run('a', 'pid');
      process.stdout.write(String(output));
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let pid = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (pid += text));
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(pid).toMatch(/^\d+$/);
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), 10_000);
  });
});
