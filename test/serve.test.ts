import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPaths } from '#store/data-folder.ts';
import { browsersFolder } from '../src/cli/serve/create-host.ts';
import { leftProcesses } from '../tools/conformance/svc-process.ts';
import { logIn } from './support/console-client.ts';
import { exitCodes } from '../src/cli/process-end.ts';
import { createApiClient } from './support/api-client.ts';
import { callSvc } from './support/call-svc.ts';
import { endProcesses } from './support/end-processes.ts';
import { testKey } from './support/start-backend.ts';
import { s3Environment, startS3 } from './support/start-s3.ts';
import { desk, makeWorkspace, put } from './support/workspace-client.ts';

const generations = (address: string) => ({
  v2: createApiClient(address, testKey, 'v2'),
  v4: createApiClient(address, testKey, 'v4'),
});

/** This suite tests `svc serve` in a separate process, as a user runs it. Some tests use simulated browsers. */
describe('svc serve', () => {
  let folder: string;
  const started: ChildProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-serve-'));
    chmodSync(folder, 0o711);
  });
  afterEach(async () => {
    await endProcesses(started.splice(0));
    rmSync(folder, { recursive: true, force: true });
  });

  const serve = async (
    ...args: string[]
  ): Promise<{ child: ChildProcess; lines: string[]; address: string; exited: Promise<number | null> }> => {
    const child = spawn(
      process.execPath,
      ['src/cli/main.ts', 'serve', '--port', '0', '--data', join(folder, 'data'), ...args],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    started.push(child);
    const lines: string[] = [];
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const address = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        lines.push(line);
        if (line.startsWith('listening on ')) resolve(line.slice('listening on '.length));
      });
      void exited.then((code) => reject(new Error(`ended with ${code}`)));
    });
    return { child, lines, address, exited };
  };
  const control = ['--control', '127.0.0.1:0', '--bootstrap-key', testKey, '--log-level', 'error'];

  it('prints a key once, serves, and ends on SIGTERM with nothing left', async () => {
    const first = await serve();
    const shown = first.lines.find((line) => line.startsWith('API key (shown once): '));
    const link = first.lines.find((line) => line.startsWith('console (one login, ten minutes): '))?.split('): ')[1];
    expect((await logIn(first.address, { link: link?.split('#login=')[1] ?? '' })).attributes).toContain('HttpOnly');
    expect(link).toMatch(`${first.address}/#login=`);
    const api = createApiClient(first.address, shown?.split(': ')[1] ?? '');
    const id = String((await api.call('POST', '/sessions', { keepAlive: true })).body['id']);
    await api.until(id, (session) => session['status'] === 'idle');
    expect(leftProcesses(browsersFolder(join(folder, 'data'))).length).toBeGreaterThan(0);
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
    expect(leftProcesses(folder)).toEqual([]);

    const data = join(folder, 'data');
    expect(await openPaths(data)).toEqual([]);
    for (const path of [data, join(data, 'svc.sqlite')]) chmodSync(path, 0o755);
    const second = await serve();
    expect(await openPaths(data)).toEqual([]);
    expect(second.lines).toEqual([
      expect.stringMatching(/^mail on 127\.0\.0\.1:\d+$/),
      `listening on ${second.address}`,
    ]);
    second.child.kill('SIGINT');
    expect(await second.exited).toBe(0);
  });

  it('gives the projects of its keys credit and zero data retention, and keeps what it does not name', async () => {
    const simulated = ['--hosts', 'simulated', '--bootstrap-key', testKey];
    const statuses = async (address: string): Promise<number[]> => {
      const { v2, v4 } = generations(address);
      const session = await v2.call('POST', '/sessions', {});
      return [session.status, (await v4.call('GET', '/runs')).status];
    };
    const found: number[][] = [];
    for (const more of [['--credit', '0', '--zero-data-retention'], []]) {
      const { child, address, exited } = await serve(...simulated, ...more);
      found.push(await statuses(address));
      child.kill('SIGTERM');
      await exited;
    }
    expect(found).toEqual([
      [402, 403],
      [402, 403],
    ]);
  });

  it.each(['much', '-1', '1e3'])('takes no credit of %s', async (credit) => {
    const { code, err } = await callSvc('serve', '--port', '0', '--data', join(folder, 'data'), '--credit', credit);
    expect([code, err]).toEqual([exitCodes.usage, expect.stringContaining(`'${credit}' is invalid`)]);
  });

  it('after kill -9 finds its work again, runs no task twice, leaves no browser behind, and a browser answers at its address', async () => {
    const first = await serve(...control);
    const api = createApiClient(first.address);
    const { v2, v4 } = generations(first.address);
    const slow = { task: 'svc-test: slow 60' };
    const running = String((await api.call('POST', '/sessions', { ...slow, keepAlive: true })).body['id']);
    const idle = String(
      (await api.call('POST', '/sessions', { task: 'svc-test: succeed', keepAlive: true })).body['id'],
    );
    const run = String((await v4.call('POST', '/runs', slow)).body['id']);
    const task = String((await v2.call('POST', '/tasks', slow)).body['id']);
    const browser = (await v4.call('POST', '/browsers', {})).body;
    await api.until(idle, (session) => session['status'] === 'idle');
    const before = await api.until(running, (session) => session['stepCount'] === 1);
    await v4.until(run, ({ status }) => status === 'running');
    await v2.until(task, ({ status }) => status === 'started');
    first.child.kill('SIGKILL');
    await first.exited;

    const second = await serve(...control, '--public-url', first.address);
    const again = generations(second.address);
    const sessions = createApiClient(second.address);
    expect((await sessions.call('GET', `/sessions/${running}`)).body).toMatchObject({
      status: 'error',
      isTaskSuccessful: false,
      stepCount: before['stepCount'],
    });
    expect((await sessions.call('GET', `/sessions/${idle}`)).body).toMatchObject({
      status: 'idle',
      output: expect.any(String),
    });
    expect((await again.v4.call('GET', `/runs/${run}`)).body).toMatchObject({ status: 'failed', result: null });
    expect((await again.v2.call('GET', `/tasks/${task}`)).body).toMatchObject({ status: 'finished', isSuccess: false });
    const { body: left } = await again.v4.call('GET', `/browsers/${String(browser['id'])}`);
    expect(left).toMatchObject({ status: 'active', cdpUrl: browser['cdpUrl'], startedAt: browser['startedAt'] });
    // The host removes the processes that the killed process has left, before it starts its own browser.
    expect(leftProcesses(browsersFolder(join(folder, 'data')))).toEqual([]);
    expect((await sessions.call('POST', '/sessions', { sessionId: idle, task: 'svc-test: succeed' })).status).toBe(200);
    await sessions.until(idle, (session) => session['status'] === 'idle');
    const address = String(browser['cdpUrl']).replace(
      first.address.slice('http'.length),
      second.address.slice('http'.length),
    );
    const version = await fetch(`${address.replace(/^ws/, 'http')}/json/version`);
    expect(await version.json()).toMatchObject({ Browser: expect.stringContaining('Chrome') });
    const stopped = await again.v4.call('PATCH', `/browsers/${String(browser['id'])}`, { action: 'stop' });
    expect(stopped.body).toMatchObject({ status: 'stopped', cdpUrl: null });
    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);
    expect(leftProcesses(folder)).toEqual([]);
    expect(existsSync(browsersFolder(join(folder, 'data')))).toBe(false);
  });

  it('takes a data folder for itself, and a second one leaves its sessions alone', async () => {
    const first = await serve(...control, '--shutdown-seconds', '0');
    const api = createApiClient(first.address);
    const id = String((await api.call('POST', '/sessions', { task: 'svc-test: slow 60', keepAlive: true })).body['id']);
    await api.until(id, (session) => session['status'] === 'running');
    const port = new URL(first.address).port;
    expect(await failing('--port', '0', '--data', join(folder, 'data'))).toEqual([
      2,
      expect.stringContaining('in use by another service'),
    ]);
    expect(await failing('--port', port, '--data', join(folder, 'other'))).toEqual([
      2,
      expect.stringContaining('--port 0 takes a free one'),
    ]);
    expect((await api.call('GET', `/sessions/${id}`)).body['status']).toBe('running');
    first.child.kill('SIGTERM');
    expect(await first.exited).toBe(0);
  });

  it('after kill -9 in the middle of an upload nothing of it is left, and the address takes the whole file', async () => {
    const first = await serve(...control, '--hosts', 'simulated');
    const v4 = generations(first.address).v4;
    const workspace = await makeWorkspace(v4);
    const address = new URL(await desk(v4, workspace).requestUploadUrl({ name: 'a.bin', size: 1_000_000 }));
    const headers = { 'content-type': 'application/octet-stream', 'content-length': '1000000' };
    const sender = request(address, { method: 'PUT', headers });
    sender.on('error', () => undefined);
    sender.write(Buffer.alloc(500_000));
    const blobs = join(folder, 'data', 'blobs');
    await vi.waitFor(() => expect(readdirSync(blobs)).toHaveLength(1), { timeout: 60_000 });
    first.child.kill('SIGKILL');
    await first.exited;

    const second = await serve(...control, '--hosts', 'simulated');
    expect(readdirSync(blobs)).toEqual([]);
    const again = desk(generations(second.address).v4, workspace);
    expect(await again.paths()).toEqual([]);
    expect((await put(address.href.replace(first.address, second.address), Buffer.alloc(1_000_000))).status).toBe(200);
    expect(await again.paths()).toEqual(['uploads/a.bin']);
    second.child.kill('SIGTERM');
    expect(await second.exited).toBe(0);
  });

  it('keeps files in a bucket when it is told to', async () => {
    for (const [name, value] of Object.entries(s3Environment)) vi.stubEnv(name, value);
    const s3 = await startS3();
    const { child, address, exited } = await serve(...control, '--hosts', 'simulated', '--blobs', s3.address);
    const v4 = generations(address).v4;
    await desk(v4, await makeWorkspace(v4)).store('a.txt', 'abc');
    expect(s3.objects()).toHaveLength(1);
    expect(readdirSync(join(folder, 'data'))).not.toContain('blobs');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    const elsewhere = s3.address.replace(/^s3:\/\/[^/]+/, 's3://elsewhere');
    expect(await failing('--port', '0', '--data', join(folder, 'data'), '--blobs', elsewhere)).toEqual([
      2,
      expect.stringContaining('found the bucket elsewhere out of reach'),
    ]);
    await s3.stop();
    vi.unstubAllEnvs();
  });

  it('says what is wrong with its flags and ends with 2', async () => {
    expect(await failing('--blobs', 'somewhere')).toEqual([2, expect.stringContaining('Expected s3://bucket/prefix')]);
    expect(await failing('--port', '70000')).toEqual([
      2,
      expect.stringContaining('Expected a whole number from 0 to 65535'),
    ]);
  });
});

/** Runs a `svc serve` that cannot start; returns its exit code and error output. */
async function failing(...args: string[]): Promise<[number | null, string]> {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'serve', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return [await new Promise((resolve) => child.once('exit', resolve)), text];
}
