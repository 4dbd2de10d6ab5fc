import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import { createApiClient } from './support/api-client.ts';
import { callSvc } from './support/call-svc.ts';
import { endProcesses } from './support/end-processes.ts';
import { type HoldingProxy, startHoldingProxy } from './support/holding-proxy.ts';
import { testKey } from './support/start-backend.ts';

const main = new URL('../src/cli/main.ts', import.meta.url).pathname;
const usualFile = 'examples/targets/reference.yaml';

let folder: string;
/** Path of the reference's target file with other tasks: tasks that work until they are stopped. */
let targetFile: string;
let proxy: HoldingProxy;
let service: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-killed-'));
  targetFile = join(folder, 'target.yaml');
  writeFileSync(targetFile, readFileSync(usualFile, 'utf8').replaceAll('svc-test: succeed', 'svc-test: slow 300'));
  const args = ['serve', '--port', '0', '--data', join(folder, 'data'), '--hosts', 'simulated'];
  const extra = ['--control', '127.0.0.1:0', '--bootstrap-key', testKey, '--log-level', 'error'];
  const child = spawn(process.execPath, [main, ...args, ...extra], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  service = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('listening on ')) resolve(line.slice('listening on '.length));
    });
  });
});

beforeEach(async () => {
  vi.stubEnv('SERVICE_API_KEY', testKey);
  proxy = await startHoldingProxy(service);
});

afterEach(() => {
  vi.unstubAllEnvs();
  return proxy.close();
});

afterAll(async () => {
  await endProcesses(children);
  rmSync(folder, { recursive: true, force: true });
});

const lists = [
  ['v2', '/tasks?pageSize=100', 'items', ['created', 'started']],
  ['v2', '/sessions?pageSize=100', 'items', ['active']],
  ['v3', '/sessions?page_size=100', 'sessions', ['created', 'idle', 'running']],
  ['v4', '/runs?limit=100', 'runs', ['queued', 'dispatching', 'running']],
  ['v4', '/browsers?pageSize=100', 'items', ['active']],
] as const;

/**
 * Returns one line for each live resource of the project: the generation, the path of the list, the id and the status.
 */
const alive = async (): Promise<string[]> => (await living()).map(({ line }) => line);

async function living(): Promise<{ id: string; line: string }[]> {
  const found = await Promise.all(
    lists.map(async ([version, path, member, states]) => {
      const { body } = await createApiClient(service, testKey, version).call('GET', path);
      const items: JsonObject[] = Array.isArray(body[member]) ? body[member].filter(isJsonObject) : [];
      if (!Array.isArray(body[member])) throw new Error(`${path} shows no ${member}: ${JSON.stringify(body)}`);
      return items
        .filter(({ status }) => states.some((state) => state === status))
        .map(({ id, status }) => ({ id: String(id), line: `${version}${path} ${String(id)} ${String(status)}` }));
    }),
  );
  return found.flat();
}

interface Ended {
  code: number | null;
  out: string;
}

function svc(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SERVICE_API_KEY: testKey, SVC_OTHER_API_KEY: '' },
  });
  children.push(child);
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  return { child, ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, out }))) };
}

function check(report: string, only: string, more: readonly string[] = []): ReturnType<typeof svc> {
  const flags = ['--target', targetFile, '--spend', 'task', '--profile', 'full', '--rate', '0', '--seed', '1'];
  return svc(['check', proxy.address, ...flags, '--only', only, '--report', `json=${report}`, ...more]);
}

/**
 * Kills a run between two requests. Waits for a moment in which live resources exist and the ledger of the run lists
 * each of them. For a kill within a request, see another test below.
 */
async function kill(child: ChildProcess, ledger: string): Promise<void> {
  for (;;) {
    await vi.waitFor(async () => expect((await living()).length).toBeGreaterThan(0), {
      timeout: 120_000,
      interval: 20,
    });
    const paused = await proxy.pause();
    const left = await living();
    // The run may have ended all its resources in the last moment.
    if (left.length === 0) {
      paused.passOn();
      continue;
    }
    await vi.waitFor(() => {
      const booked = readFileSync(ledger, 'utf8');
      // A V2 task creates its own session, which ends with the task.
      expect(left.filter(({ id, line }) => !line.startsWith('v2/sessions') && !booked.includes(id))).toEqual([]);
    }, 60_000);
    child.kill('SIGKILL');
    paused.drop();
    return;
  }
}

/** Runs `svc clean` in this process. Only the killed run needed a process of its own. */
const clean = (file: string): Promise<Ended> => callSvc('clean', file, '--target', targetFile);

describe('a run that is killed while tasks work', () => {
  it.each(['v3-operations,lifecycle', 'v4-runs,v4-run-views', 'v2-tasks,v2-task-views'])(
    'is cleaned up by svc clean, twice if one likes: %s',
    async (only) => {
      const report = join(folder, `${only.split(',')[0] ?? ''}.json`);
      const { child, ended } = check(report, only);
      await kill(child, `${report}.ledger`);
      await ended;
      expect(existsSync(report)).toBe(false);
      expect(await alive()).not.toEqual([]);
      expect(await clean(`${report}.ledger`)).toMatchObject({ code: 0, out: expect.stringMatching(/, 0 left\n$/) });
      expect(await alive()).toEqual([]);
      expect(await clean(`${report}.ledger`)).toMatchObject({ code: 0 });
    },
  );

  /** Starts a run of the suite, and sends it a signal when more than two resources are alive. */
  async function interrupted(report: string, signal: NodeJS.Signals): Promise<ReturnType<typeof svc>> {
    const run = check(report, 'v3-operations,v4-runs,v2-tasks');
    await vi.waitFor(async () => expect((await alive()).length).toBeGreaterThan(2), { timeout: 120_000, interval: 20 });
    run.child.kill(signal);
    return run;
  }

  it('cleans up by itself after Ctrl-C', async () => {
    const report = join(folder, 'interrupted.json');
    const { ended } = await interrupted(report, 'SIGINT');
    expect((await ended).code).toBe(4);
    expect(await alive()).toEqual([]);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ ended: 'interrupted', left: [] });
    expect(existsSync(`${report}.ledger`)).toBe(false);
  });

  it('does so when its terminal is closed, which may be said again while it writes', async () => {
    // The report is written to a named pipe, so that the write waits for the reader below.
    const report = join(folder, 'closed.json');
    execFileSync('mkfifo', [report]);
    const { child, ended } = await interrupted(report, 'SIGHUP');
    await expect.poll(() => existsSync(`${report}.ledger`)).toBe(false);
    child.kill('SIGHUP');
    const { stdout } = await promisify(execFile)('cat', [report], { timeout: 120_000, maxBuffer: 2 ** 26 });
    expect(JSON.parse(stdout)).toMatchObject({ ended: 'interrupted', left: [] });
    expect((await ended).code).toBe(4);
    expect(await alive()).toEqual([]);
  });

  it('continues and cleans up when its output is closed', async () => {
    const report = join(folder, 'unread.json');
    const { child, ended } = check(report, 'V3-STOP-01', ['--target', usualFile, '--trace']);
    child.stderr?.once('data', () => child.stderr?.destroy());
    expect((await ended).code).toBeLessThan(2);
    expect(await alive()).toEqual([]);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ ended: 'complete', left: [] });
  });
});

describe('a run that is killed before the answer to a creation', () => {
  it.each([
    ['v2', '/api/v2/tasks', 'V2-TASK-01'],
    ['v3', '/api/v3/sessions', 'LIFE-16'],
    ['v4', '/api/v4/runs', 'V4-RUN-01'],
  ])('leaves nothing after svc clean, although the id is unknown: %s', async (version, path, only) => {
    const report = join(folder, `lost-${version}.json`);
    const held = proxy.hold(({ method, url }) => method === 'POST' && url === path);
    const { child, ended } = check(report, only);
    await Promise.race([held, ended.then(({ out }) => Promise.reject(new Error(out)))]);
    child.kill('SIGKILL');
    await ended;
    expect(await alive()).not.toEqual([]);
    const cleaned = await clean(`${report}.ledger`);
    expect(cleaned).toMatchObject({ code: 0, out: expect.stringContaining(' 0 left') });
    expect(await alive()).toEqual([]);
  });
});
