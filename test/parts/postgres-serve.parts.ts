import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiClient } from '../support/api-client.ts';
import { endProcesses } from '../support/end-processes.ts';
import { makeDatabase } from '../support/postgres/make-database.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/start-postgres.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { testKey } from '../support/start-backend.ts';

let server: PostgresServer;
let folder: string;
let database: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  server = await startPostgres();
  database = await makeDatabase(server.address, 'serve');
  folder = quickFolder('svc-pg-serve-');
});
afterAll(async () => {
  await endProcesses(started);
  await server.remove();
  rmSync(folder, { recursive: true });
});

/** Runs `svc` to its end; returns its exit code and output. */
async function svc(...args: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ['src/cli/main.ts', ...args], {
    env: { ...process.env, SVC_DATABASE: database },
  });
  started.push(child);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

const serving = (data: string): readonly string[] => [
  'serve',
  '--hosts',
  'simulated',
  '--port',
  '0',
  '--no-mail',
  '--data',
  join(folder, data),
];

/** Starts a service in a separate process; returns its address and process. */
async function serve(): Promise<{ address: string; child: ChildProcess }> {
  const child = spawn(
    process.execPath,
    ['src/cli/main.ts', ...serving('data'), '--database', database, '--bootstrap-key', testKey],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  started.push(child);
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('listening on ')) return { address: line.slice('listening on '.length), child };
  throw new Error('the service ended before it listened');
}

/** Timeout for several processes that start one after another. */
const processesMs = 240_000;

describe('svc with a database', { timeout: processesMs }, () => {
  it('serves from it, has it alone, and finds everything again after a kill', async () => {
    const first = await serve();
    const api = createApiClient(first.address);
    const id = String((await api.call('POST', '/sessions', { keepAlive: true })).body['id']);
    await api.until(id, ({ status }) => status === 'idle');

    const second = await svc(...serving('other'));
    expect(second).toMatchObject({
      code: 2,
      err: expect.stringContaining('found the database in use by another service'),
    });

    first.child.kill('SIGKILL');
    const again = await serve();
    expect((await createApiClient(again.address).call('GET', `/sessions/${id}`)).body).toMatchObject({
      status: 'idle',
    });
    const made = await svc('admin', 'project', 'create', 'by hand');
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
  });

  it('shows no address in its configuration, and says what it cannot use', async () => {
    const shown = await svc('serve', '--print-config', '--database', 'postgres://svc:pass-word@db.internal/svc');
    expect(shown.out).toContain('database: ');
    expect(shown.out).not.toContain('pass-word');
    const away = await svc(...serving('other'), '--database', 'postgres://svc:pass-word@127.0.0.1:1/svc');
    expect(away).toMatchObject({
      code: 2,
      err: expect.stringContaining('found no database that can be used at --database'),
    });
    expect(away.err).not.toContain('pass-word');
    const doctor = await svc('doctor', '--data', join(folder, 'data'));
    expect(doctor.out).toMatch(/ok {3}database: PostgreSQL \d+/);
  });
});
