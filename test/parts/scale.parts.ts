import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '#store/open-database.ts';
import { type ApiClient, createApiClient } from '../support/api-client.ts';
import { logInWithKey } from '../support/console-client.ts';
import { bytesOfPictures } from '../support/growing-videos.ts';
import { makeDatabase } from '../support/postgres/make-database.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/start-postgres.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { type Balancer, startBalancer } from '../support/scale/start-balancer.ts';
import { type ServiceProcess, type SharedPlace, startProcess } from '../support/scale/start-process.ts';
import { testKey } from '../support/start-backend.ts';

let server: PostgresServer;
let place: SharedPlace;
let balancer: Balancer;
const apis: ServiceProcess[] = [];
const workers: ServiceProcess[] = [];

beforeAll(async () => {
  server = await startPostgres();
  const folder = quickFolder('svc-scale-');
  writeFileSync(join(folder, 'secret'), randomBytes(32), { mode: 0o600 });
  place = { folder, database: await makeDatabase(server.address, 'scale') };
  const start = (role: 'api' | 'worker'): Promise<ServiceProcess>[] =>
    [0, 1].map((at) => startProcess(place, { role, name: `${role}-${at}` }));
  const [answering, working] = [start('api'), start('worker')];
  apis.push(...(await Promise.all(answering)));
  workers.push(...(await Promise.all(working)));
  balancer = await startBalancer();
  balancer.point(apis.map(({ address }) => address));
});

afterAll(async () => {
  await balancer?.close();
  await Promise.all([...apis, ...workers].map((one) => one.kill()));
  await server?.remove();
  rmSync(place.folder, { recursive: true, force: true });
});

const client = (at: number, version: 'v2' | 'v3' | 'v4' = 'v3'): ApiClient =>
  createApiClient(apis[at]?.address ?? '', testKey, version);

const fetchStatus = async (id: unknown): Promise<unknown> =>
  (await client(0).call('GET', `/sessions/${String(id)}`)).body['status'];

const until = (id: unknown, status: string): Promise<void> =>
  vi.waitFor(async () => expect(await fetchStatus(id)).toBe(status), { timeout: 60_000, interval: 100 });

const quick = { task: 'svc-test: succeed', model: 'svc-mini', keepAlive: false };
const slow = { task: 'svc-test: slow 300', model: 'svc-mini', keepAlive: true };

async function create(at: number, body: object = slow): Promise<string> {
  const made = await client(at).call('POST', '/sessions', body);
  expect(made.status).toBe(200);
  return String(made.body['id']);
}

/** Returns the address of the worker that owns a session. */
async function findOwner(id: string): Promise<string> {
  const { body } = await client(0).call('GET', `/sessions/${id}`);
  return new URL(String(body['liveUrl'])).origin;
}

describe('two processes that answer and two that work', () => {
  it('go on with a session wherever a request arrives', async () => {
    const id = await create(0, { ...slow, task: 'svc-test: succeed' });
    await until(id, 'idle');
    const next = await client(1).call('POST', '/sessions', { ...slow, model: undefined, sessionId: id });
    expect(next).toMatchObject({ status: 200, body: { id, status: 'running' } });
    const stopped = await client(0).call('POST', `/sessions/${id}/stop`, { strategy: 'task' });
    expect(stopped).toMatchObject({ status: 200, body: { status: 'idle' } });
    const ended = await client(1).call('POST', `/sessions/${id}/stop`, {});
    expect(ended).toMatchObject({ status: 200, body: { status: 'stopped' } });
  });

  it('answer requests where they are to be answered, and say so elsewhere', async () => {
    const worker = workers[1]?.address ?? '';
    const asked = await fetch(`${worker}/api/v3/sessions`, { headers: { 'x-service-api-key': testKey } });
    expect([asked.status, await asked.json()]).toEqual([421, { detail: expect.stringContaining('--role api') }]);
    const paths = ['/console/api/login', '/', '/healthz', '/readyz'];
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${worker}${path}`)).status));
    expect(statuses).toEqual([421, 404, 200, 200]);
    expect((await fetch(`${apis[0]?.address ?? ''}/`)).status).toBe(200);
  });

  it('hand out addresses of the worker that has the browser, which lead there from everywhere', async () => {
    const made = await client(0, 'v4').call('POST', '/browsers', {});
    const { id, cdpUrl, liveUrl } = made.body;
    const owner = new URL(String(liveUrl)).origin;
    expect(workers.map(({ address }) => address)).toContain(owner);
    const found = await fetch(`${String(cdpUrl).replace('ws:', 'http:')}/json/version`);
    expect(await found.json()).toMatchObject({ webSocketDebuggerUrl: cdpUrl });
    const path = new URL(String(liveUrl)).pathname;
    const away = await fetch(`${apis[1]?.address ?? ''}${path}`, { redirect: 'manual' });
    expect([away.status, away.headers.get('location')]).toEqual([307, liveUrl]);
    const stopped = await client(1, 'v4').call('PATCH', `/browsers/${String(id)}`, { action: 'stop' });
    expect(stopped.body).toMatchObject({ status: 'stopped' });
    expect((await fetch(`${String(cdpUrl).replace('ws:', 'http:')}/json/version`)).status).toBe(404);
  });

  it('count the requests of a project together', async () => {
    const db = await openDatabase(place.database);
    const limited = (rate: number | null): Promise<unknown> =>
      db.updateTable('projects').set({ requestsPerSecond: rate }).execute();
    await limited(1);
    const left: number[] = [];
    for (const at of [0, 1, 0, 1, 0]) {
      const answer = await fetch(`${apis[at]?.address ?? ''}/api/v3/sessions`, {
        headers: { 'x-service-api-key': testKey },
      });
      left.push(Number(answer.headers.get('x-ratelimit-remaining')));
    }
    await limited(null);
    await db.destroy();
    // Five requests in five seconds: each reduces the remaining number by one, unless a new window has begun.
    const wrong = left.filter((count, at) => at > 0 && count !== 4 && count !== (left[at - 1] ?? 0) - 1);
    expect([wrong, Math.min(...left) < 3]).toEqual([[], true]);
  });

  it('start a browser at another worker when the chosen worker dies', async () => {
    const stopped = workers[0] ?? expect.fail('no process');
    stopped.child.kill('SIGSTOP');
    const creating = [0, 1].map((at) => client(at, 'v4').call('POST', '/browsers', {}));
    const db = await openDatabase(place.database);
    const owners = async (): Promise<unknown[]> =>
      (await db.selectFrom('browsers').select('ownerUrl').where('status', '=', 'active').execute()).map(
        (row) => row.ownerUrl,
      );
    await expect.poll(owners).toContain(stopped.address);
    await stopped.kill();
    workers[0] = await startProcess(place, {
      role: 'worker',
      name: 'worker-0',
      port: Number(new URL(stopped.address).port),
    });
    const made = await Promise.all(creating);
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const places = workers.map(({ address }) => address);
    for (const { body } of made) {
      expect(places).toContain(new URL(String(body['liveUrl'])).origin);
      const found = await fetch(`${String(body['cdpUrl']).replace('ws:', 'http:')}/json/version`);
      expect(found.status).toBe(200);
      await client(0, 'v4').call('PATCH', `/browsers/${String(body['id'])}`, { action: 'stop' });
    }
    await db.destroy();
  });

  it('end what a dead worker did, and nothing else, within half a minute', async () => {
    const over = [await create(0, quick), await create(1, quick)];
    for (const id of over) await until(id, 'stopped');
    const ids: string[] = [];
    for (const at of [0, 1, 0, 1]) ids.push(await create(at));
    for (const id of ids) await until(id, 'running');
    const owners = await Promise.all(ids.map(findOwner));
    const dead = workers[0] ?? expect.fail('no process');
    const lost = ids.filter((_id, at) => owners[at] === dead.address);
    const kept = ids.filter((id) => !lost.includes(id));
    expect([lost.length, kept.length]).toEqual([2, 2]);
    await dead.kill();
    for (const id of lost) await until(id, 'error');
    for (const id of kept) expect(await fetchStatus(id)).toBe('running');
    for (const id of kept)
      expect(await client(1).call('POST', `/sessions/${id}/stop`, {})).toMatchObject({ body: { status: 'stopped' } });
    // Sessions that had ended before can be deleted at once.
    for (const id of over) expect(await client(1).call('DELETE', `/sessions/${id}`)).toMatchObject({ status: 204 });
    // A new process replaces the dead process at the same address.
    const port = Number(new URL(dead.address).port);
    workers[0] = await startProcess(place, { role: 'worker', name: 'worker-0', port });
  });

  it('show recordings of a dead worker, even without a new process on its folder', async () => {
    const id = await create(0, { ...slow, enableRecording: true });
    await until(id, 'running');
    const owner = await findOwner(id);
    const at = workers.findIndex(({ address }) => address === owner);
    const dead = workers[at] ?? expect.fail('no process');
    const videos = (): number[] => bytesOfPictures(join(place.folder, `worker-${at}`));
    await expect.poll(() => videos().map((bytes) => bytes > 0)).toEqual([true]);
    await dead.kill();
    await until(id, 'error');
    // A crashed task has not completed, so its session does not list its recording.
    expect((await client(1).call('GET', `/sessions/${id}`)).body).toMatchObject({ recordingUrls: [] });
    const console = await logInWithKey(apis[1]?.address ?? '', testKey);
    const addresses = async (): Promise<string[]> =>
      (await console.call('GET', `/sessions/${id}/recordings`)).body as string[];
    await expect.poll(async () => (await addresses()).length).toBe(1);
    const video = await fetch(String((await addresses())[0]));
    expect([video.status, video.headers.get('content-type')]).toEqual([200, 'video/webm']);
    expect(
      Buffer.from(await video.arrayBuffer())
        .subarray(0, 4)
        .toString('hex'),
    ).toBe('1a45dfa3');
    expect(videos()).toEqual([]);
    const port = Number(new URL(dead.address).port);
    workers[at] = await startProcess(place, { role: 'worker', name: `worker-${at}`, port });
  });

  it('are started again one by one without a failed request', async () => {
    const answers: number[] = [];
    const sessions: string[] = [];
    const through = createApiClient(balancer.address, testKey, 'v3');
    const done = new AbortController();
    const load = async (): Promise<void> => {
      while (!done.signal.aborted) {
        const made = await through.call('POST', '/sessions', { ...slow, task: 'svc-test: succeed', keepAlive: false });
        answers.push(made.status);
        sessions.push(String(made.body['id']));
        answers.push((await through.call('GET', `/sessions/${String(made.body['id'])}`)).status);
        answers.push((await through.call('POST', `/sessions/${String(made.body['id'])}/stop`, {})).status);
        await setTimeout(100);
      }
    };
    const working = load();
    for (const [processes, role] of [
      [apis, 'api'],
      [workers, 'worker'],
    ] as const)
      for (const at of [0, 1]) {
        const before = processes[at] ?? expect.fail('no process');
        await before.stop();
        const port = Number(new URL(before.address).port);
        processes[at] = await startProcess(place, { role, name: `${role}-${at}`, port, shutdownSeconds: 2 });
      }
    done.abort();
    await working;
    expect(answers.length).toBeGreaterThan(20);
    expect(answers.filter((status) => status !== 200)).toEqual([]);
    const states = await Promise.all(sessions.map((id) => fetchStatus(id)));
    expect(states.filter((state) => state !== 'stopped')).toEqual([]);
  });
});
