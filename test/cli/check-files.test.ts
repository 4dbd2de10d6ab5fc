import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/cli/process-end.ts';
import { callSvc } from '../support/call-svc.ts';

/**
 * This file tests `svc check` with a wrong path or a full disk. A faulty output file must not cause the loss of the
 * other reports of the run.
 */

const folder = mkdtempSync(join(tmpdir(), 'svc-files-'));
/** A file where a folder should be. */
const blocked = join(folder, 'file');
/** A device on which every write fails, like a full disk. */
const full = '/dev/full';
let asked = 0;
const server = createServer((_request, response) => {
  asked += 1;
  response.writeHead(422, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ detail: [{ loc: ['body'], msg: 'no', type: 'value_error' }] }));
});
let flags: string[] = [];

beforeAll(async () => {
  writeFileSync(blocked, '');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  flags = ['check', url, '--api-key', 'svc_right', '--only', 'ERR-09', '--rate', '0'];
});
beforeEach(() => void (asked = 0));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const accepted = ['--update-baseline', '--reason', 'the gateway is old', '--expires', '2999-12-31'];

describe('a path that is wrong', () => {
  it.each([
    ['a report below a file', ['--report', `terminal,html=${join(blocked, 'x.html')}`]],
    ['a report that is a folder', ['--report', `json=${folder}`]],
    ['known failures below a file', ['--baseline', join(blocked, 'known.yaml'), ...accepted]],
  ])('is said before anything is sent: %s', async (_name, more) => {
    const ended = await callSvc(...flags, ...more);
    expect(ended).toMatchObject({ code: exitCodes.usage, out: '' });
    expect(ended.err).toMatch(
      /^svc check: found that .* cannot be written .* Next: correct the path of --(report|baseline)\.\n$/,
    );
    expect(asked).toBe(0);
  });

  it('is said for the ledger of a killed run, which another run would replace', async () => {
    const file = join(folder, 'killed.json');
    writeFileSync(`${file}.ledger`, '{"target":{"url":"http://127.0.0.1:1"},"stamp":"word"}\n');
    const ended = await callSvc(...flags, '--report', `json=${file}`);
    expect(ended).toMatchObject({ code: exitCodes.usage, out: '' });
    expect(ended.err).toContain(`end them with \`svc clean ${file}.ledger\`, and delete the file`);
    expect(readFileSync(`${file}.ledger`, 'utf8')).toContain('word');
    expect(asked).toBe(0);
  });

  it('is no error when only its folder is missing', async () => {
    const file = join(folder, 'new', 'deep', 'report.json');
    expect((await callSvc(...flags, '--report', `json=${file}`)).code).toBe(exitCodes.violation);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ totals: { violations: 1 } });
  });
});

it('is no error for reports that are shown or judged again either', async () => {
  const recorded = join(folder, 'recorded');
  await callSvc(...flags, '--report', `json=${recorded}.json,har=${recorded}.har`);
  const again = (name: string): string[] => ['--report', `md=${join(folder, name, 'again.md')}`];
  await callSvc('report', 'show', `${recorded}.json`, ...again('shown'));
  await callSvc('judge', `${recorded}.har`, ...again('judged'));
  for (const name of ['shown', 'judged'])
    expect(readFileSync(join(folder, name, 'again.md'), 'utf8')).toContain('ERR-09');
});

describe('a disk that is full', () => {
  it('keeps no other file from the report, which is shown', async () => {
    const file = join(folder, 'other.md');
    const linked = join(folder, 'linked.xml');
    symlinkSync(full, linked);
    const ended = await callSvc(...flags, '--report', `html=${full},junit=${linked},md=${file}`);
    expect(ended.code).toBe(exitCodes.usage);
    expect(ended.err.match(/that \S+ cannot be written \(ENOSPC/g)).toHaveLength(2);
    expect(ended.out).toContain('FAILED: 1 violation · 0 passed');
    expect(readFileSync(file, 'utf8')).toContain('ERR-09');
  });

  it('keeps the ledger of what a run has left, until a report lists it', async () => {
    // It creates what should be refused, and ends nothing.
    const careless = createServer(({ method, url: path }, response) => {
      const isStop = method === 'PATCH' || method === 'DELETE' || /stop|cancel/.test(path ?? '');
      response.writeHead(isStop ? 403 : 200, { 'content-type': 'application/json' });
      response.end('{"id":"7d4f1c1e-6f0b-4a57-9a3f-0a8a3d6a1b11","status":"running"}');
    });
    await once(careless.listen(0, '127.0.0.1'), 'listening');
    const address = careless.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const of = (file: string): string[] => ['check', url, ...flags.slice(2), '--report', `json=${file}`];
    const [lost, kept] = [join(folder, 'lost.json'), join(folder, 'kept.json')];
    symlinkSync(full, lost);
    expect((await callSvc(...of(lost))).code).toBe(exitCodes.usage);
    expect(readFileSync(`${lost}.ledger`, 'utf8')).toContain('7d4f1c1e-6f0b-4a57-9a3f-0a8a3d6a1b11');
    await callSvc(...of(kept));
    expect(JSON.parse(readFileSync(kept, 'utf8')).left).not.toEqual([]);
    expect(existsSync(`${kept}.ledger`)).toBe(false);
    careless.close();
  });

  it('leaves the standard output to the program that reads it', async () => {
    const ended = await callSvc(...flags, '--report', `json=-,html=${full}`);
    expect(ended.code).toBe(exitCodes.usage);
    expect(JSON.parse(ended.out)).toMatchObject({ totals: { violations: 1 } });
  });

  it('costs the known failures, and not the report', async () => {
    const file = join(folder, 'known.json');
    const known = join(folder, 'known.yaml');
    writeFileSync(known, 'entries: []');
    const run = callSvc(...flags, '--baseline', known, ...accepted, '--report', `json=${file}`);
    await once(server, 'request');
    // The file was valid when the run began.
    rmSync(known);
    symlinkSync(full, known);
    const ended = await run;
    expect(ended).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('--baseline') });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ totals: { violations: 1 } });
  });
});
