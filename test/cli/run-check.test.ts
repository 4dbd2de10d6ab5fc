import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Ended, callSvc } from '../support/call-svc.ts';
import { exitCodes } from '../../src/cli/process-end.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-check-'));
const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;
// This server answers each request with a proper 422 for the right key, otherwise 401. The suite's fake service is not
// exported.
const server = createServer((request, response) => {
  const known = request.headers['x-service-api-key'] === 'svc_right';
  response.writeHead(known ? 422 : 401, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ detail: known ? [{ loc: ['body'], msg: 'no', type: 'value_error' }] : 'no' }));
});
let url = '';

/**
 * Runs `svc` in a new process. Tests use it only once for each exit code and where they need a real process; otherwise
 * they run `svc` in this process.
 */
async function svc(...words: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [main, ...words], { env: { ...process.env, SERVICE_API_KEY: '' } });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode ?? Number.NaN, ...texts };
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
});

beforeEach(() => void vi.stubEnv('SERVICE_API_KEY', ''));
afterEach(() => void vi.unstubAllEnvs());

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

describe('svc check', () => {
  it('ends with 0 when nothing is violated', async () => {
    const ended = await svc('check', url, '--api-key', 'svc_right', '--only', 'V3-GET-02,AUTH-01', '--rate', '0');
    expect(ended).toMatchObject({ code: exitCodes.ok, err: '' });
    expect(ended.out).toMatch(/^PASSED: no violation · 2 passed\n[\s\S]*\nPASSED: no violation · 2 passed\n$/);
  });

  it('shows every finding with --details, and only the first causes without', async () => {
    const flags = ['check', url, '--api-key', 'svc_right', '--only', 'ERR-09,AUTH-01', '--rate', '0'];
    const [brief, whole] = [await callSvc(...flags), await callSvc(...flags, '--details')];
    expect(brief.out).toContain('Every finding: `--details`');
    expect(whole.out).not.toContain('Every finding: `--details`');
    expect(whole.out).toMatch(/VIOLATION MUST ERR-09/);
  });

  it('ends with 1 after a violation and writes the report that svc clean reads', async () => {
    const file = join(folder, 'report.json');
    const flags = ['--api-key', 'svc_right', '--only', 'ERR-09', '--rate', '0', '--report', `json=${file}`];
    const ended = await svc('check', url, ...flags);
    expect(ended).toMatchObject({ code: exitCodes.violation, out: '' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      schema: 'svc-report/1',
      totals: { violations: 1 },
      verdict: { result: 'failed', exitCode: 1, text: 'FAILED: 1 violation · 0 passed' },
      causes: [{ requirements: ['ERR-09'] }, { requirements: ['ERR-09'] }],
    });
    expect(existsSync(`${file}.ledger`)).toBe(false);
    const cleaned = await svc('clean', file, '--api-key', 'svc_right');
    expect(cleaned).toMatchObject({ code: exitCodes.ok, out: '0 ended, 0 left\n' });
  });

  it('writes a recording that svc judge can judge when the target does not answer', async () => {
    const file = join(folder, 'run.har');
    const flags = ['--api-key', 'svc_right', '--only', 'ERR-09,V3-GET-02', '--rate', '0', '--report'];
    const checked = await svc('check', url, ...flags, `har=${file},json=${file}.json`);
    expect(checked.code).toBe(exitCodes.violation);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('svc_right');
    // No server listens on port 9 of this machine.
    writeFileSync(file, text.replaceAll(url, 'http://127.0.0.1:9'));
    const judged = await svc('judge', file, '--report', `terminal,json=${file}.again.json`);
    expect(judged).toMatchObject({ code: exitCodes.violation, err: '' });
    const rows = (name: string): unknown[] => JSON.parse(readFileSync(name, 'utf8')).requirements;
    const verdicts = (name: string): unknown => rows(name).map((row) => ({ ...Object(row), failures: undefined }));
    expect(verdicts(`${file}.again.json`)).toEqual(verdicts(`${file}.json`));
    expect(judged.out).toContain('ERR-09');
    const only = await svc('judge', file, '--only', 'V3-GET-02');
    expect(only).toMatchObject({ code: exitCodes.ok, err: '' });
    expect(only.out).toContain('PASSED: no violation · 1 passed');
  });

  it('writes each format that was asked for', async () => {
    const files = { json: '{', junit: '<?xml', md: '## PASSED' };
    const list = Object.keys(files).map((name) => `${name}=${join(folder, `formats.${name}`)}`);
    await callSvc(
      'check',
      url,
      '--api-key',
      'svc_right',
      '--only',
      'AUTH-01',
      '--rate',
      '0',
      '--report',
      list.join(','),
    );
    for (const [name, begin] of Object.entries(files)) {
      expect(readFileSync(join(folder, `formats.${name}`), 'utf8').startsWith(begin)).toBe(true);
    }
  });

  it('ends with 1 under --strict when something was not run', async () => {
    const flags = ['--api-key', 'svc_right', '--only', 'V3-GET-02,V3-GET-01', '--rate', '0'];
    expect((await callSvc('check', url, ...flags)).code).toBe(exitCodes.ok);
    const strict = await callSvc('check', url, ...flags, '--strict');
    expect(strict.code).toBe(exitCodes.violation);
    expect(strict.out).toMatch(/^FAILED: 1 requirement not judged \(--strict\)/);
  });

  it('accepts what a baseline knows, fails on what is stale, and writes the file again', async () => {
    const file = join(folder, 'known.yaml');
    const flags = ['--api-key', 'svc_right', '--rate', '0', '--baseline', file];
    const first = ['--update-baseline', '--reason', 'the gateway is old', '--expires', '2999-12-31'];
    expect((await callSvc('check', url, ...flags, '--only', 'ERR-09', ...first)).code).toBe(exitCodes.ok);
    expect(readFileSync(file, 'utf8')).toContain('reason: the gateway is old');
    const known = await callSvc('check', url, ...flags, '--only', 'ERR-09');
    expect(known.code).toBe(exitCodes.ok);
    expect(known.out).toContain('accepted until 2999-12-31: the gateway is old');
    expect(known.out).toMatch(/PASSED: no violation · 1 known violation accepted · 0 passed\n$/);
    writeFileSync(file, 'entries: [{id: V3-GET-02, reason: why, expires: 2999-12-31}]');
    const stale = await callSvc('check', url, ...flags, '--only', 'V3-GET-02');
    expect(stale.code).toBe(exitCodes.violation);
    expect(stale.out).toContain('V3-GET-02: it passes now');
    expect(stale.out).toMatch(/FAILED: 1 stale baseline entry · 1 passed\n$/);
  });

  it.each([
    [
      'an update of a baseline without a reason',
      ['--update-baseline', '--baseline', 'x.yaml'],
      "--reason 'why they are accepted'",
    ],
    [
      'a day that no month has',
      ['--update-baseline', '--baseline', 'x', '--reason', 'old', '--expires', '2027-02-30'],
      '--expires YYYY-MM-DD',
    ],
    ['a placeholder for a reason', ['--update-baseline', '--baseline', 'x', '--reason', 'TODO'], 'Next: pass all four'],
    [
      'a certificate with known failures',
      ['--certify', 'v4', '--baseline', 'x'],
      'a certificate without known failures',
    ],
    ['a certificate of nothing', ['--certify', 'v5'], 'v2, v3, v4, separated by commas'],
    ['a certificate for less than it costs', ['--certify', 'v4'], '--spend task: the set needs it'],
  ])('ends with 2 for %s', async (_name, words, text) => {
    const ended = await callSvc('check', 'http://127.0.0.1:1', '--api-key', 'k', ...words);
    expect(ended).toMatchObject({ code: exitCodes.usage, out: '' });
    expect(ended.err).toContain(text);
  });

  it.each([
    ['no key', ['check', 'http://127.0.0.1:1'], 'pass --api-key or set SERVICE_API_KEY'],
    ['a wrong address', ['check', 'somewhere', '--api-key', 'k'], 'an http or https address'],
    ['a wrong id', ['check', 'http://127.0.0.1:1', '--api-key', 'k', '--only', 'V3-GET-2'], 'try "V3-GET-02"'],
    ['a wrong time', ['check', 'http://127.0.0.1:1', '--api-key', 'k', '--timeout', '5'], 'a time such as 500ms'],
    ['no proxy', ['check', 'http://127.0.0.1:1', '--api-key', 'k', '--proxy', 'somewhere'], 'http://127.0.0.1:3128'],
    ['no certificate', ['check', 'http://127.0.0.1:1', '--api-key', 'k', '--ca', main], 'certificates in PEM'],
    ['a wrong report', ['check', 'http://127.0.0.1:1', '--api-key', 'k', '--report', 'xml'], 'terminal and json=FILE'],
    ['a missing target file', ['check', 'http://127.0.0.1:1', '--api-key', 'k', '--target', 'none.yaml'], 'none.yaml'],
    ['a file that is no recording', ['judge', 'package.json'], 'make one with `svc check <url> --report har=FILE`'],
    ['a wrong token', ['replay', 'svc1.x', '--api-key', 'k'], 'a token that begins with svc1.'],
    ['an unknown requirement', ['explain', 'V3-GET-0'], 'V3-GET-0'],
  ])('ends with 2 for %s and says what to do', async (_name, words, text) => {
    const ended = await callSvc(...words);
    expect(ended.code).toBe(exitCodes.usage);
    expect(ended.err).toContain(text);
  });

  it('ends with 2 in a process of its own', async () => {
    const ended = await svc('check', 'http://127.0.0.1:1');
    expect(ended).toMatchObject({ code: exitCodes.usage, out: '' });
    expect(ended.err).toContain('pass --api-key or set SERVICE_API_KEY');
  });

  it('prints every exchange to stderr with --trace, and no key', async () => {
    const flags = [
      '--api-key',
      'svc_right',
      '--only',
      'V3-GET-03',
      '--rate',
      '0',
      '--trace',
      '--profile',
      'documented',
    ];
    const ended = await callSvc('check', url, ...flags);
    expect(ended.code).toBe(exitCodes.ok);
    expect(ended.err.match(/^\* /gm)).toHaveLength(4);
    expect(ended.err).toContain(`* V3-GET-03: getSession`);
    expect(ended.err).toContain(
      `> GET ${url}/api/v3/sessions/not-a-uuid\n> X-Service-API-Key: $SERVICE_API_KEY\n< 422\n`,
    );
    expect(ended.err).not.toContain('svc_right');
  });

  it('ends with 3 when the target refuses the key or cannot be reached', async () => {
    expect((await svc('check', url, '--api-key', 'svc_wrong')).code).toBe(exitCodes.unreachable);
    expect((await callSvc('check', 'http://127.0.0.1:1', '--api-key', 'k')).code).toBe(exitCodes.unreachable);
  });

  it('ends with 4 when the time is over', async () => {
    const ended = await svc('check', url, '--api-key', 'svc_right', '--rate', '10/s', '--time-limit', '300ms');
    expect(ended.code).toBe(exitCodes.interrupted);
    expect(ended.out).toContain('INCOMPLETE: the time limit was reached');
  });

  it('sends nothing in a dry run', async () => {
    const ended = await callSvc('check', 'http://127.0.0.1:1', '--api-key', 'k', '--dry-run', '--spend', 'task');
    expect(ended.code).toBe(exitCodes.ok);
    expect(ended.out).toContain('At most 25 tasks would be dispatched.');
  });
});

describe('svc init, list and explain', () => {
  it('writes a target file that svc check takes, and never over another', async () => {
    const file = join(folder, 'svc-target.yaml');
    expect((await callSvc('init', file)).code).toBe(exitCodes.ok);
    expect((await callSvc('init', file)).code).toBe(exitCodes.usage);
    expect((await callSvc('init', file, '--force')).code).toBe(exitCodes.ok);
    const ended = await callSvc('check', url, '--api-key', 'svc_right', '--target', file, '--only', 'V3-GET-02');
    expect(ended.code).toBe(exitCodes.ok);
  });

  it('refuses a target file with an unknown member', async () => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, 'stateles: true\n');
    const ended = await callSvc('check', url, '--api-key', 'k', '--target', file);
    expect(ended.code).toBe(exitCodes.usage);
    expect(ended.err).toContain('did you mean "stateless"?');
  });

  it('lists and explains', async () => {
    expect((await callSvc('list', 'authentication')).out).toContain('AUTH-01');
    expect((await callSvc('list', 'STATE-SESSIONS-BEYOND')).out).toMatch(/^STATE-SESSIONS-BEYOND {2}MUST {2}/);
    expect((await callSvc('explain', 'V3-THINK-18')).out).toContain('the row "gpt-5-mini" of a law');
  });
});
