import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exitCodes } from '../../src/cli/process-end.ts';
import { callSvc } from '../support/call-svc.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-merge-'));
const server = createServer((_request, response) => {
  response.writeHead(422, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ detail: [{ loc: ['body'], msg: 'no', type: 'value_error' }] }));
});
let url = '';

const file = (name: string): string => join(folder, name);

async function check(name: string, ...flags: string[]): Promise<void> {
  const rows = ['--only', 'V3-GET-02,AUTH-01,ERR-09', '--rate', '0', '--seed', '1'];
  await callSvc('check', url, ...rows, ...flags, '--report', `json=${file(name)}`);
}

beforeAll(async () => {
  vi.stubEnv('SERVICE_API_KEY', 'svc_key');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
  await check('one.json', '--shard', '1/2');
  await check('two.json', '--shard', '2/2');
  await check('whole.json');
});

afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  rmSync(folder, { recursive: true });
});

describe('svc report merge', () => {
  it('joins two shards to what one run says, with its exit code', async () => {
    const merged = file('merged.json');
    const ended = await callSvc(
      'report',
      'merge',
      file('two.json'),
      file('one.json'),
      '--report',
      `json=${merged},terminal`,
    );
    expect(ended).toMatchObject({ code: exitCodes.violation, err: '' });
    expect(ended.out).toContain('FAILED: 1 violation · 2 passed');
    const totals = (name: string): unknown => JSON.parse(readFileSync(file(name), 'utf8')).totals;
    expect(totals('merged.json')).toEqual(totals('whole.json'));
    expect(await callSvc('diff', file('whole.json'), merged)).toMatchObject({ code: exitCodes.ok });
  });

  it('refuses what does not belong together', async () => {
    const alone = await callSvc('report', 'merge', file('one.json'));
    expect(alone).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('no shard 2 of 2') });
    const whole = await callSvc('report', 'merge', file('one.json'), file('whole.json'));
    expect(whole).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('without `shard`') });
  });
});

describe('svc diff', () => {
  it('ends with 1 when something got worse, and writes JSON when asked', async () => {
    const report = JSON.parse(readFileSync(file('whole.json'), 'utf8'));
    for (const row of report.requirements) row.verdict = row.verdict === 'violation' ? 'pass' : row.verdict;
    writeFileSync(file('better.json'), JSON.stringify(report));
    const worse = await callSvc('diff', file('better.json'), file('whole.json'), '--json');
    expect(worse.code).toBe(exitCodes.violation);
    expect(JSON.parse(worse.out)).toMatchObject({ schema: 'svc-report-diff/1', worse: true, rows: [{ id: 'ERR-09' }] });
    expect((await callSvc('diff', file('whole.json'), file('better.json'))).code).toBe(exitCodes.ok);
  });

  it('ends with 2 for a file that is no report', async () => {
    writeFileSync(file('other.json'), '{}');
    const ended = await callSvc('diff', file('other.json'), file('whole.json'));
    expect(ended).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('which is no report') });
  });
});
