import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#store/open-database.ts';
import { usdToMicros } from '#contract/money.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { type Ended, callSvc } from '../support/call-svc.ts';
import { logIn } from '../support/console-client.ts';
import { endProcesses } from '../support/end-processes.ts';

/** Data folder of a running `svc serve` without a configured key. `svc admin` uses the same folder. */
let folder: string;
let service: ChildProcess;
let address: string;
let firstKey: string;

/** Timeout for several processes that start one after another. */
const processesMs = 180_000;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-admin-'));
  const place = ['--data', folder, '--port', '0', '--hosts', 'simulated', '--no-mail'];
  const child = spawn(process.execPath, ['src/cli/main.ts', 'serve', ...place], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  service = child;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('API key (shown once): ')) firstKey = line.slice('API key (shown once): '.length);
    if (!line.startsWith('listening on ')) continue;
    address = line.slice('listening on '.length);
    break;
  }
}, processesMs);
afterAll(async () => {
  await endProcesses([service], 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}, processesMs);

/** Runs `svc admin` in this process, which is not the process of the service. */
const admin = (...args: readonly string[]): Promise<Ended> => callSvc('admin', ...args, '--data', folder);

/** Runs `svc admin` in a new process. */
async function adminAlone(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'admin', ...args, '--data', folder]);
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return { code: child.exitCode ?? Number.NaN, out, err };
}

const client = (key: string): ApiClient => createApiClient(address, key, 'v2');
const fetchStatus = async (key: string): Promise<number> => (await client(key).call('GET', '/billing/account')).status;

describe('svc admin', { timeout: processesMs }, () => {
  it('makes a project and a key that work at once, lists them, and ends the key at once', async () => {
    const made = await adminAlone('project', 'create', 'shop', '--credit', '25', '--sessions-max', '2');
    expect(made).toEqual({ code: 0, out: expect.stringMatching(/^[0-9a-f-]{36}\n$/), err: '' });
    const projectId = made.out.trim();

    const created = await adminAlone('key', 'create', '--project', 'shop', '--name', 'till 1', '--expires', '90d');
    expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^svc_[\w-]{43}\n$/) });
    const key = created.out.trim();
    const [, id = ''] = /^key ([0-9a-f]{16}) of project/.exec(created.err) ?? [];
    expect(created.err).not.toContain(key);
    expect((await client(key).call('GET', '/billing/account')).body).toMatchObject({
      name: 'shop',
      projectId,
      apiKeyId: id,
      concurrentSessionLimit: 2,
      totalCreditsBalanceUsd: 25,
    });

    const shown = await admin('project', 'show', 'shop');
    expect(shown.out).toMatch(/\$25 +2 +default +kept +UTC +shop\n\nliving now: 0\nspent: \$0\n\n/);
    const when = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    const line = new RegExp(
      `${id}  ${key.slice(0, 8)}\\.\\.\\.  active +${projectId}  ${when}  ${when}  ${when}  no +unlimited  till 1\n$`,
    );
    expect(shown.out).toMatch(line);

    const asJson = JSON.parse((await admin('project', 'show', 'shop', '--json')).out);
    const keyInJson = { id, prefix: key.slice(0, 8), name: 'till 1', projectId, revokedAtMs: null };
    const project = { id: projectId, name: 'shop', creditMicros: 25_000_000, sessionsMax: 2, requestsPerSecond: null };
    expect(asJson).toMatchObject({ ...project, spentMicros: 0, living: 0, keys: [keyInJson] });
    expect(JSON.parse((await admin('project', 'list', '--json')).out)).toContainEqual(expect.objectContaining(project));
    expect(JSON.parse((await admin('key', 'list', '--project', 'shop', '--json')).out)).toMatchObject([keyInJson]);

    expect(await admin('key', 'revoke', id)).toMatchObject({ code: 0, err: '' });
    expect([await fetchStatus(key), await fetchStatus(firstKey)]).toEqual([401, 200]);
    const listed = await admin('key', 'list');
    expect(listed.out).toMatch(new RegExp(`${id}  .* revoked +${projectId}`));
    expect(listed.out.trim().split('\n')).toHaveLength(3);
    expect(listed.out + shown.out).not.toContain(key.slice(0, 12));
    expect(filesWith(folder, key)).toEqual([]);
  });

  it('schedules a task that the running service starts, lists it, and ends it', async () => {
    expect((await admin('project', 'create', 'clock', '--time-zone', 'Mars/Olympus')).code).toBe(2);
    const project = (await admin('project', 'create', 'clock', '--time-zone', 'Asia/Kolkata')).out.trim();
    const soon = new Date(Date.now() + 2_000).toISOString();
    const single = (await admin('schedule', 'create', 'Say it', '--at', soon, '--project', project)).out.trim();
    const made = await adminAlone('schedule', 'create', 'Say daily', '--cron', '0 9 * * *', '--project', 'clock');
    expect(made).toEqual({ code: 0, out: expect.stringMatching(/^[0-9a-f-]{36}\n$/), err: '' });
    const listed = async (): Promise<unknown> =>
      JSON.parse((await admin('schedule', 'list', '--project', 'clock', '--json')).out);
    await expect.poll(listed).toMatchObject([
      { id: made.out.trim(), status: 'active', cron: '0 9 * * *', timeZone: 'Asia/Kolkata' },
      { id: single, status: 'ended', latest: { sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/), refusal: null } },
    ]);
    expect((await admin('schedule', 'end', made.out.trim(), '--project', 'clock')).out).toMatch(/ ended +0 9/);
    expect(await admin('schedule', 'end', 'x', '--project', 'clock')).toMatchObject({ code: 2 });
    expect(await admin('schedule', 'create', 'x', '--cron', 'often', '--project', 'clock')).toMatchObject({
      code: 2,
      err: expect.stringContaining('expected five fields of cron'),
    });
  });

  it('says what a project has spent, as its own keys are told', async () => {
    const api = createApiClient(address, firstKey, 'v3');
    const id = String((await api.call('POST', '/sessions', { task: 'Say x' })).body['id']);
    const { totalCostUsd } = await api.until(id, ({ status }) => status === 'stopped', 60_000);
    const [first] = JSON.parse((await admin('project', 'list', '--json')).out);
    const { spentMicros } = JSON.parse((await admin('project', 'show', first.id, '--json')).out);
    expect(spentMicros).toBeGreaterThan(0);
    expect(spentMicros).toBe(usdToMicros(String(totalCostUsd)));
  });

  it('says what a retention would remove, and removes nothing', async () => {
    const api = createApiClient(address, firstKey, 'v3');
    const make = async (): Promise<string> => {
      const id = String((await api.call('POST', '/sessions', { task: 'Say x' })).body['id']);
      await api.until(id, ({ status }) => status === 'stopped', 60_000);
      return id;
    };
    const [old, young] = [await make(), await make()];
    const since = Date.UTC(2020, 0, 2);
    const db = await openDatabase(join(folder, 'svc.sqlite'));
    await db.updateTable('sessions').set({ activeAt: since }).where('id', '=', old).execute();
    await db.destroy();
    const said = await admin('sweep', '--dry-run', '--retention', '7');
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('sessions: 1 (age: the end of the session; kept while: it lives');
    expect(said.out).toContain(`  ${old}  since 2020-01-02T00:00:00.000Z`);
    expect(said.out).not.toContain(young);
    expect(said.out.match(/^\w+: /gm)).toEqual(defaultRules.retention.kinds.map(({ kind }) => `${kind}: `));
    expect((await api.call('GET', `/sessions/${old}`)).status).toBe(200);
    expect(await admin('sweep', '--dry-run', '--retention', '0')).toMatchObject({ code: 2, out: '' });
    expect(await admin('sweep', '--retention', '7')).toMatchObject({ code: 2, out: '' });
  });

  it('ends with exit code 2 and a sentence where it was used in a wrong way, and makes nothing', async () => {
    const listed = await admin('key', 'list');
    const option = await adminAlone('project', 'create', 'free', '--sessions-max', '0');
    const expiry = await admin('key', 'create', '--project', 'nobody', '--expires', '90d');
    expect(option).toEqual({ code: 2, out: '', err: expect.stringContaining('at least 1') });
    expect(expiry).toEqual({ code: 2, out: '', err: expect.stringContaining('found 0 projects called nobody') });
    expect(await admin('key', 'list')).toEqual(listed);
  });
});

/** Returns the files below a folder whose bytes contain a text. */
function filesWith(place: string, wanted: string): string[] {
  const entries = readdirSync(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => readFileSync(file).includes(wanted));
}

it(
  'login-link prints a link that opens the console once',
  async () => {
    const { code, out } = await admin('login-link', '--project', 'shop', '--address', `${address}/`);
    expect([code, out]).toEqual([0, expect.stringMatching(`^${address}/#login=[A-Za-z0-9_-]{43}\n$`)]);
    const link = out.trim().split('#login=')[1] ?? '';
    const login = await logIn(address, { link });
    expect((await login.call('PATCH', '/project', {})).status).toBe(200);
    await expect(logIn(address, { link })).rejects.toThrow('401');
    expect(await admin('login-link', '--address', 'nowhere')).toMatchObject({ code: 2, out: '' });
  },
  processesMs,
);
