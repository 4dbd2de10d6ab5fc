import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiClient } from './support/api-client.ts';
import { endProcesses } from './support/end-processes.ts';
import { readMetrics } from './support/read-metrics.ts';
import { startCollector } from './support/start-collector.ts';
import { testKey } from './support/start-backend.ts';

interface Served {
  readonly child: ChildProcess;
  /** Returns the rest of the printed line that begins with `word`, such as the address after `listening on`. */
  readonly said: (word: string) => string;
  /** Lines of the log so far. */
  readonly log: readonly string[];
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
}

/** This suite tests `svc serve` as its operator sees it, with simulated browsers. */
describe('svc serve, operated', () => {
  let folder: string;
  const started: ChildProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-operate-'));
  });
  afterEach(async () => {
    await endProcesses(started.splice(0));
    rmSync(folder, { recursive: true, force: true });
  });

  const serve = async (...more: string[]): Promise<Served> => {
    const fixed = ['--hosts', 'simulated', '--no-mail', '--control', '127.0.0.1:0', '--bootstrap-key', testKey];
    const args = ['src/cli/main.ts', 'serve', '--port', '0', '--data', folder, ...fixed, ...more];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(child);
    const lines: string[] = [];
    const log: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
    const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
      child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        lines.push(line);
        if (line.startsWith('listening on ')) resolve();
      });
      void exited.then(({ code }) => reject(new Error(`ended with ${code}: ${log.join('\n')}`)));
    });
    const said = (word: string): string =>
      lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';
    return { child, said, log, exited };
  };
  const control = (served: Served, path: string, body: object): Promise<Response> =>
    fetch(`${served.said('control on')}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const readyStatus = async (served: Served): Promise<number> =>
    (await fetch(`${served.said('listening on')}/readyz`)).status;
  const startSlowTask = async (served: Served): Promise<string> => {
    const api = createApiClient(served.said('listening on'));
    const { body } = await api.call('POST', '/sessions', { task: 'svc-test: slow 60', keepAlive: true });
    const id = String(body['id']);
    await api.until(id, ({ status, stepCount }) => status === 'running' && stepCount === 1, 60_000);
    return id;
  };

  it('at SIGTERM it takes nothing new, lets its task end, and ends with code 0', async () => {
    const first = await serve('--shutdown-seconds', '3600');
    const id = await startSlowTask(first);
    const api = createApiClient(first.said('listening on'));
    first.child.kill('SIGTERM');
    await expect.poll(() => readyStatus(first)).toBe(503);
    expect((await api.call('POST', '/sessions', { task: 'svc-test: succeed' })).status).toBe(503);
    expect((await api.call('GET', `/sessions/${id}`)).body['status']).toBe('running');
    // Each step of the task waits again. The last advance of the clock may find no process.
    const step = (): Promise<unknown> => Promise.allSettled([control(first, '/clock', { advanceMs: 20_000 })]);
    await expect.poll(async () => (await step(), first.child.exitCode)).toBe(0);
    expect(await first.exited).toEqual({ code: 0, signal: null });

    const second = await serve();
    const { body } = await createApiClient(second.said('listening on')).call('GET', `/sessions/${id}`);
    expect(body).toMatchObject({ status: 'idle', isTaskSuccessful: true });
  });

  it('without time for it a task ends as a crash', async () => {
    const first = await serve('--shutdown-seconds', '0');
    const id = await startSlowTask(first);
    first.child.kill('SIGTERM');
    expect(await first.exited).toEqual({ code: 0, signal: null });
    const second = await serve();
    const { body } = await createApiClient(second.said('listening on')).call('GET', `/sessions/${id}`);
    expect(body).toMatchObject({ status: 'error', isTaskSuccessful: false });
  });

  it('a second signal ends it at once', async () => {
    const served = await serve('--shutdown-seconds', '3600');
    await startSlowTask(served);
    served.child.kill('SIGTERM');
    await expect.poll(() => readyStatus(served)).toBe(503);
    served.child.kill('SIGTERM');
    expect(await served.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('names the request in every line that it logs for it, and no secret in any', async () => {
    const served = await serve('--log-level', 'info');
    await control(served, '/faults', { sandboxStart: 'fail' });
    const headers = { 'x-service-api-key': testKey, 'content-type': 'application/json', 'x-request-id': 'job-17' };
    const body = JSON.stringify({ task: 'a task that nobody logs' });
    const answer = await fetch(`${served.said('listening on')}/api/v3/sessions?secret=1`, {
      method: 'POST',
      headers,
      body,
    });
    expect(answer.headers.get('x-request-id')).toBe('job-17');
    const ofRequest = (): unknown[] =>
      served.log.filter((line) => line.includes('"request":"job-17"')).map((line) => JSON.parse(line).msg);
    await expect.poll(ofRequest).toEqual(expect.arrayContaining(['answered', 'sandbox did not start']));
    expect(served.log.join('\n')).not.toMatch(/svc_test_key|secret=|nobody logs/);
    expect(served.log.find((line) => line.includes('"answered"'))).toContain('"operation":"v3 createSession"');
  });

  it('shows its figures at an address of their own, and nowhere else', async () => {
    const served = await serve('--metrics', '127.0.0.1:0');
    const api = createApiClient(served.said('listening on'));
    const id = String((await api.call('POST', '/sessions', { keepAlive: true })).body['id']);
    await api.until(id, ({ status }) => status === 'idle', 60_000);
    await api.call('GET', '/sessions/nothing-of-that-kind');
    await fetch(`${served.said('listening on')}/somewhere/${id}`);
    await fetch(`${served.said('listening on')}/api/v3/sessions/${id}`);
    const answer = await fetch(`${served.said('metrics on')}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const text = await answer.text();
    const figures = readMetrics(text);
    expect(figures.get('svc_http_requests_total{operation="v3 createSession",status="200"}')).toBe(1);
    expect(figures.get('svc_http_requests_total{operation="v3 getSession",status="422"}')).toBe(1);
    expect(figures.get('svc_http_requests_total{operation="v3 getSession",status="401"}')).toBe(1);
    expect(figures.get('svc_http_requests_total{operation="unknown",status="404"}')).toBe(1);
    expect(figures.get('svc_sessions{generation="v3",state="idle"}')).toBe(1);
    expect(figures.get('svc_browsers{state="running",use="session"}')).toBe(1);
    expect(figures.get('svc_browser_starts_total{outcome="started"}')).toBe(1);
    expect(text).not.toContain(id);
    expect((await fetch(`${served.said('listening on')}/metrics`)).status).toBe(404);
  });

  it('sends its traces before it ends, and names them in its log', async () => {
    const collector = await startCollector();
    const served = await serve('--traces', collector.address, '--traces-name', 'till', '--log-level', 'info');
    const api = createApiClient(served.said('listening on'));
    const id = String((await api.call('POST', '/sessions', { task: 'svc-test: succeed' })).body['id']);
    await api.until(id, ({ status }) => status === 'stopped', 60_000);
    served.child.kill('SIGTERM');
    expect(await served.exited).toEqual({ code: 0, signal: null });
    const span = (name: string): string => collector.spans.find((found) => found.name === name)?.traceId ?? 'none';
    const line = served.log.find((text) => text.includes('"operation":"v3 createSession"'));
    expect(JSON.parse(line ?? '{}').trace_id).toBe(span('POST /api/v3/sessions'));
    expect(span('task')).toMatch(/^[\da-f]{32}$/);
    expect(collector.resource()['service.name']).toBe('till');
    await collector.close();
  });

  it('answers and ends as ever while the collector of its traces hangs', async () => {
    const collector = await startCollector();
    collector.behaviour = 'hangs';
    const served = await serve('--traces', collector.address);
    const api = createApiClient(served.said('listening on'));
    expect((await api.call('GET', '/sessions')).status).toBe(200);
    await expect.poll(() => collector.count()).toBeGreaterThan(0);
    await expect.poll(() => served.log.join('\n')).toContain('traces: unsent');
    expect((await api.call('GET', '/sessions')).status).toBe(200);
    served.child.kill('SIGTERM');
    expect(await served.exited).toEqual({ code: 0, signal: null });
    await collector.close();
  });

  it('says no more than that a setting cannot be used, and ends with code 2', async () => {
    await expect(serve('--config', '/nowhere.yaml')).rejects.toThrow(
      'ended with 2: svc serve: found no file at /nowhere.yaml (ENOENT). Expected settings as YAML',
    );
  });
});
