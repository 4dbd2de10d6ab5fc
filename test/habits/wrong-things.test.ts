import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { callSvc } from '../support/call-svc.ts';
import { listCommands } from './list-commands.ts';

/**
 * This file tests typical mistakes with every command: the answer is a sentence with the next step, never a stack
 * trace.
 */

const folder = mkdtempSync(join(tmpdir(), 'svc-habits-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nowhere = join(folder, 'nowhere');
const missing = join(nowhere, 'file.json');
/** An address without a listener: port 9 (discard). */
const unusedAddress = 'http://127.0.0.1:9';
const data = ['--data', nowhere];
/** A file at a path where the command expects a folder. */
const file = join(folder, 'file');
writeFileSync(file, '');
const simulated = ['serve', '--port', '0', '--hosts', 'simulated', '--no-mail'];

const cases: [words: string[], code: number, says: string | RegExp][] = [
  [['check', 'api.example.com', '--api-key', 'k'], 2, 'http'],
  [['check', unusedAddress], 2, 'pass --api-key or set SERVICE_API_KEY'],
  [['check', unusedAddress, '--api-key', 'k'], 3, 'Next: '],
  [['check', unusedAddress, '--api-key', 'k', '--target', missing], 2, /found no file at .* Next: /],
  [['check', unusedAddress, '--api-key', 'k', '--baseline', missing], 2, /found no file at .* Next: /],
  [['check', unusedAddress, '--api-key', 'k', '--only', 'v33'], 2, 'see `svc list`'],
  [['check', unusedAddress, '--api-key', 'k', '--report', 'pdf=a'], 2, 'see `svc check --help`'],
  [['check', unusedAddress, '--api-key', 'k', '--report', 'terminal,json=-'], 2, 'leave terminal out'],
  [['check', unusedAddress, '--api-key', 'k', '--rate', 'fast'], 2, 'Next: '],
  [['check', unusedAddress, '--api-key', 'k', '--shard', '1/3'], 2, '--seed'],
  [['check-client'], 2, 'svc check-client'],
  [['check-client', '--observe', 'api.example.com'], 2, 'Expected an http or https address'],
  [['check-client', '--observe', 'http://127.0.0.1:9', '--', 'node'], 2, 'the program node beside --observe'],
  [['check-client', '--only', 'run-v4', '--', './no-program'], 2, 'correct the path of the program'],
  [['mock', '--port', '99999'], 2, 'Expected a whole number'],
  [['mock', '--latency', '5'], 2, 'for example 50-300'],
  [
    ['mock', '--control', '127.0.0.1:0'],
    2,
    "option '--control' needs --stateful: answers from the documents keep nothing",
  ],
  [['mock', '--api-key', ''], 2, 'Expected a key of printable characters, without spaces at its ends.'],
  [['mock', '--speed', '5'], 2, 'Add --stateful, or hold answers back with --latency'],
  [['serve', '--config', missing], 2, missing],
  [[...simulated, '--data', file], 2, `found ${file}, which cannot be used (EEXIST`],
  [[...simulated, '--data', join(file, 'x')], 2, 'name another one'],
  [[...simulated, '--data', join(folder, 'service'), '--blobs', `file://${file}`], 2, 'name another one'],
  [[...simulated, '--data', join(folder, 'service'), '--host', '192.0.2.1'], 2, 'Choose another --host or --port'],
  [['spec', 'print', 'v9'], 2, 'Allowed choices are'],
  [['spec', 'bundle'], 2, "required option '--out <folder>'"],
  [['spec', 'lint', '--port', '1'], 2, 'svc spec lint --help'],
  [['spec', 'diff', missing, 'v4'], 2, 'v2, v3, v4'],
  [['spec', 'docs', '--port', 'x'], 2, 'Expected a whole number'],
  [['list', 'sessionz'], 2, 'see `svc list`'],
  [['explain', 'V3-GET-2'], 2, 'V3-GET-02'],
  [['init', missing], 2, 'correct the path'],
  [['judge', missing], 2, /found no file at .* Next: /],
  [['replay', 'svc1.x', '--api-key', 'k'], 2, 'Next: '],
  [['coverage', missing], 2, /found no file at .* Next: /],
  [['clean', missing, '--api-key', 'k'], 2, /found no file at .* Next: /],
  [['diff', missing, missing], 2, /found no file at .* Next: /],
  [['report', 'merge', missing], 2, /found no file at .* Next: /],
  [['report', 'show', missing, '--report', 'har=a'], 2, 'pass it to `svc check`'],
  [['report', 'show', missing], 2, /found no file at .* Next: /],
  [['doctor', '--database', 'mysql://x'], 2, 'postgres://'],
  [['doctor', '--data', file], 2, 'is no folder: choose another with --data'],
  [['completion', 'tcsh'], 2, 'Allowed choices are bash, zsh, fish'],
  [['tunnel', 'browser'], 2, 'ws://'],
  [['completion', 'tcsh'], 2, 'Allowed choices are'],
  [['admin', 'project', 'create', 'shop', ...data], 2, '--data'],
  [['admin', 'project', 'set', 'shop', ...data], 2, '--data'],
  [['admin', 'project', 'list', ...data], 2, '--data'],
  [['admin', 'project', 'show', ...data], 2, '--data'],
  [['admin', 'key', 'create', ...data], 2, '--data'],
  [['admin', 'key', 'create', '--expires', 'soon', ...data], 2, '90d'],
  [['admin', 'key', 'list', ...data], 2, '--data'],
  [['admin', 'key', 'limit', 'x', '25', ...data], 2, '--data'],
  [['admin', 'key', 'revoke', 'x', ...data], 2, '--data'],
  [['admin', 'schedule', 'create', 'Say x', '--cron', '0 9 * * *', ...data], 2, '--data'],
  [['admin', 'schedule', 'create', 'Say x', ...data], 2, 'Expected exactly one of them'],
  [['admin', 'schedule', 'list', ...data], 2, '--data'],
  [['admin', 'schedule', 'confirm', 'x', ...data], 2, '--data'],
  [['admin', 'schedule', 'end', 'x', ...data], 2, '--data'],
  [['admin', 'login-link', ...data], 2, '--data'],
  [['admin', 'provider-key', 'set', 'openay', ...data], 2, 'openai'],
  [['admin', 'provider-key', 'list', ...data], 2, '--data'],
  [['admin', 'provider-key', 'remove', 'openai', ...data], 2, '--data'],
  [['admin', 'backup', join(folder, 'copy'), ...data], 2, 'Expected the data folder'],
  [['admin', 'restore', nowhere, '--data', join(folder, 'restored')], 2, /svc admin backup|manifest/],
  [['admin', 'restore', file, '--data', join(folder, 'restored')], 2, 'name another one'],
  [['admin', 'sweep', '--retention', '90', ...data], 2, "required option '--dry-run'"],
  [['admin', 'sweep', '--dry-run', '--retention', 'old', ...data], 2, 'a number of days'],
];

/** Timeout for the first test, which loads the whole suite on a busy machine. */
const loadMs = 600_000;

describe('a command that is called wrongly', () => {
  beforeEach(() => void vi.stubEnv('SERVICE_API_KEY', ''));
  afterEach(() => void vi.unstubAllEnvs());

  it.each(cases)('svc %j ends with %i and says what comes next', { timeout: loadMs }, async (words, code, says) => {
    const ended = await callSvc(...words);
    expect(ended).toMatchObject({ code });
    const said = ended.out + ended.err;
    expect(said).toMatch(says);
    expect(said).not.toMatch(/^ {4}at /m);
    // oxlint-disable-next-line no-control-regex -- what begins a colour
    expect(said).not.toMatch(/\u001B/);
  });

  it('is one of each', async () => {
    const called = new Set(cases.map(([words]) => words.join(' ')));
    const all = listCommands(await createProgram()).map(({ path }) => path.slice('svc '.length));
    expect(all.filter((path) => ![...called].some((line) => `${line} `.startsWith(`${path} `)))).toEqual([]);
  });
});
