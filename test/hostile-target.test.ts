import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Report, readReport } from '#conformance/index.ts';
import { exitCodes } from '../src/cli/process-end.ts';
import { type HostileServer, startHostileServer } from './support/hostile-server.ts';

/** Exit code and output of a process, and its peak memory in MiB. */
interface Ended {
  code: number | null;
  out: string;
  memory: number;
}

const formats = ['json', 'html', 'md', 'junit', 'badge', 'har'] as const;
const folder = mkdtempSync(join(tmpdir(), 'svc-hostile-'));
const getReportFile = (format: string): string => join(folder, `report.${format}`);
let server: HostileServer;
let checked: Ended;

beforeAll(async () => {
  server = await startHostileServer();
  const outputs = `terminal,${formats.map((format) => `${format}=${getReportFile(format)}`).join(',')}`;
  const flags = [
    '--profile',
    'full',
    '--timeout',
    '1s',
    '--time-limit',
    '20s',
    '--rate',
    '0',
    '--seed',
    '1',
    '--trace',
  ];
  checked = await svc('check', server.url, ...flags, '--report', outputs);
}, 400_000);

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs `svc` in a new process with a small heap. */
function svc(...words: string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['bin/svc.mjs', ...words], {
    env: {
      ...process.env,
      NODE_OPTIONS: '--max-old-space-size=160',
      SERVICE_API_KEY: 'svc_a_key',
      SVC_OTHER_API_KEY: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, memory] = ['', 0];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  const timer = setInterval(() => (memory = Math.max(memory, readPeak(child.pid ?? 0))), 50);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearInterval(timer);
      resolve({ code, out, memory });
    });
  });
}

/** Returns the peak resident memory of a process in MiB; 0 if the process has ended. */
function readPeak(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function expectSafe(text: string): void {
  expect(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.exec(text)).toBeNull();
}

function report(): Report {
  return readReport(readFileSync(getReportFile('json'), 'utf8'), 'report');
}

/**
 * Writes a report with a single live resource, so that `svc clean` takes little time. Returns the path of the report.
 */
function fewLeft(): string {
  const whole = report();
  const file = join(folder, 'few.json');
  const [first] = whole.created;
  writeFileSync(file, JSON.stringify({ ...whole, created: [{ ...first, id: 'evil\u001B[2J\u202E', state: 'live' }] }));
  return file;
}

describe('a target that attacks the suite', () => {
  it('is judged in bounded time and memory', () => {
    // A busy machine may reach the time limit first. In both cases the report contains the violations.
    expect([exitCodes.violation, exitCodes.interrupted]).toContain(checked.code);
    expect(checked.memory).toBeGreaterThan(50);
    // In MiB: 160 of heap, 64 of stored answers, 110 of Node and its code, and 8 answers in transit. Each of these
    // answers counts 3 times 4: compressed, decompressed and as text. Without bounds, a run took gigabytes.
    expect(checked.memory).toBeLessThan(160 + 64 + 8 * 3 * 4 + 110);
  });

  it('violates a requirement by every answer that exceeds a limit, whose beginning is kept', () => {
    const { requirements, exchanges } = report();
    expect(requirements.find(({ id }) => id === 'ANSWER-04')?.verdict).toBe('violation');
    const exceeding = exchanges.filter(({ exceeds }) => exceeds !== undefined);
    expect(exceeding.length).toBeGreaterThan(0);
    for (const { status, body, json } of exceeding) {
      expect({ status, json }).toEqual({ status: 0, json: undefined });
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(3 * 4096);
    }
    expect(requirements.filter(({ verdict }) => verdict === 'error').map(({ id, reason }) => ({ id, reason }))).toEqual(
      [],
    );
  });

  it('knows the suite by its name', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect([...server.agents]).toEqual([`svc-contract/${version}`]);
  });

  it('reaches no terminal and no build server with what it says', () => {
    expect(checked.out).toContain(String.raw`\u001b[2J`);
    expectSafe(checked.out);
    expect(checked.out).not.toMatch(/^\s*::|##(?:vso|teamcity)?\[/m);
  });

  it.each(formats)('puts no control character into a report: %s', (format) => {
    expectSafe(readFileSync(getReportFile(format), 'utf8'));
  });

  it('puts neither markup nor a link into Markdown and HTML', () => {
    const [markdown, html] = [getReportFile('md'), getReportFile('html')].map((file) => readFileSync(file, 'utf8'));
    const prose = (markdown ?? '').replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
    expect(prose).not.toMatch(/<img|https?:\/\/|\]\(/);
    expect(html).not.toMatch(/<img src=x/);
  });

  it.each([
    ['report show', () => ['report', 'show', getReportFile('json')]],
    ['diff', () => ['diff', getReportFile('json'), getReportFile('json')]],
    ['judge', () => ['judge', getReportFile('har')]],
    ['coverage', () => ['coverage', getReportFile('json')]],
    ['clean', () => ['clean', fewLeft()]],
    [
      'replay',
      () => [
        'replay',
        report().requirements.flatMap(({ failures }) => failures)[0]?.replay ?? '',
        '--timeout',
        '1s',
        '--time-limit',
        '10s',
      ],
    ],
    ['tunnel', () => ['tunnel', `${server.url}/\u009B31m`]],
    ['doctor', () => ['doctor', '--data', join(folder, 'a\u001B[2Jb')]],
    ['explain', () => ['explain', 'a\u001B[2Jb']],
  ])(
    'reaches no terminal by svc %s',
    async (_name, words) => {
      const { out, memory } = await svc(...words());
      expect(out).not.toBe('');
      expectSafe(out);
      expect(out).not.toMatch(/^\s*::|##(?:vso|teamcity)?\[/m);
      expect(memory).toBeLessThan(400);
    },
    120_000,
  );
});
