import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/cli/process-end.ts';
import { callSvc } from '../support/call-svc.ts';

/**
 * This file tests every flag and argument whose value is the path of an input file. Each is tested with every kind of
 * wrong file.
 */

const folder = mkdtempSync(join(tmpdir(), 'svc-data-files-'));
const at = (name: string): string => join(folder, name);
const url = 'http://127.0.0.1:9';
const check = ['check', url, '--api-key', 'svc_k', '--dry-run'];
const serve = ['serve', '--hosts', 'simulated', '--port', '0', '--data', at('data'), '--bootstrap-key', 'svc_k'];
const report = at('report.json');

interface Reader {
  readonly command: string;
  readonly words: (file: string) => string[];
  readonly kind: 'yaml' | 'json' | 'other';
}

const readers: Record<string, Reader> = {
  'check --target': { command: 'check', words: (file) => [...check, '--target', file], kind: 'yaml' },
  'check --baseline': { command: 'check', words: (file) => [...check, '--baseline', file], kind: 'yaml' },
  'check --ca': { command: 'check', words: (file) => [...check, '--ca', file], kind: 'other' },
  'replay --target': {
    command: 'replay',
    words: (file) => ['replay', token, '--api-key', 'svc_k', '--target', file],
    kind: 'yaml',
  },
  'clean FILE': { command: 'clean', words: (file) => ['clean', file, '--api-key', 'svc_k'], kind: 'json' },
  'coverage FILE': { command: 'coverage', words: (file) => ['coverage', file], kind: 'json' },
  'judge FILE': { command: 'judge', words: (file) => ['judge', file], kind: 'json' },
  'diff FILE': { command: 'diff', words: (file) => ['diff', file, report], kind: 'json' },
  'report merge FILE': { command: 'report merge', words: (file) => ['report', 'merge', file], kind: 'json' },
  'report show FILE': { command: 'report show', words: (file) => ['report', 'show', file], kind: 'json' },
  'spec diff FILE': { command: 'spec diff', words: (file) => ['spec', 'diff', 'v3', file], kind: 'other' },
  'mock --replay': { command: 'mock', words: (file) => ['mock', '--port', '0', '--replay', file], kind: 'json' },
  'tunnel --ca': { command: 'tunnel', words: (file) => ['tunnel', 'ws://127.0.0.1:9/x', '--ca', file], kind: 'other' },
  'serve --config': { command: 'serve', words: (file) => [...serve, '--config', file], kind: 'yaml' },
  'serve --providers': { command: 'serve', words: (file) => [...serve, '--providers', file], kind: 'yaml' },
  'serve --proxies': { command: 'serve', words: (file) => [...serve, '--proxies', file], kind: 'yaml' },
  'serve --retention': { command: 'serve', words: (file) => [...serve, '--retention', file], kind: 'yaml' },
  'serve --secret-file': { command: 'serve', words: (file) => [...serve, '--secret-file', file], kind: 'other' },
  'admin sweep --retention': {
    command: 'admin sweep',
    words: (file) => ['admin', 'sweep', '--dry-run', '--retention', file],
    kind: 'yaml',
  },
};

const token = `svc1.${Buffer.from(JSON.stringify({ id: 'AUTH-01', seed: 1, url, target: 'x' })).toString('base64url')}`;

/** Files that no command can read. */
const unreadable = {
  'a missing file': at('missing'),
  'a folder': at('folder'),
  'links in a circle': at('loop'),
  'an endless file': '/dev/zero',
} as const;

/** Texts that are wrong in every format. */
const wrong = {
  'bytes that are no text': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe]),
  'a list that ends early': '[[1, 2',
  'a list': '[1]',
  'a deep list': '['.repeat(100_000),
  'a word': 'hello',
} as const;

beforeAll(() => {
  mkdirSync(at('folder'));
  symlinkSync(at('loop'), at('loop'));
  writeFileSync(at('empty'), '');
  for (const [name, text] of Object.entries(wrong)) writeFileSync(at(name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

const form = /^svc [a-z ]+: found .*?\. Expected .*?\. Next: .*\.\n$/s;

describe.each(Object.entries(readers))('svc %s', (_name, { command, words }) => {
  it.each([...Object.entries(unreadable), ...Object.keys(wrong).map((name) => [name, at(name)] as const)])(
    'refuses %s in one line with 2',
    async (_case, file) => {
      const ended = await callSvc(...words(file));
      expect(ended).toMatchObject({ code: exitCodes.usage, out: '' });
      expect(ended.err.split('\n')).toHaveLength(2);
      expect(ended.err).toMatch(form);
      expect(ended.err.startsWith(`svc ${command}: found `)).toBe(true);
      expect(ended.err).toContain(file);
    },
  );
});

it.each(Object.entries(readers).filter(([, { kind }]) => kind !== 'other'))(
  'svc %s names line and column of a text that ends early',
  async (_name, { words }) => {
    const { err } = await callSvc(...words(at('a list that ends early')));
    expect(err).toMatch(/line 1, column \d/);
  },
);

it.each(Object.entries(readers).filter(([name]) => name !== 'serve --config'))(
  'svc %s refuses an empty file',
  async (_name, { words }) => {
    const ended = await callSvc(...words(at('empty')));
    expect(ended.code).toBe(exitCodes.usage);
    expect(ended.err).toMatch(form);
  },
);

it.each([
  {
    reader: 'check --target',
    text: 'keyHeader: x\nv3:\n  followup: null\n',
    want: 'line 3, column 3: v3 has the unknown member "followup" (did you mean "followUp"?)',
  },
  {
    reader: 'check --baseline',
    text: 'entries:\n- id: AUTH-01\n  reasn: x\n',
    want: 'line 3, column 3: entries.0 has the unknown member "reasn" (did you mean "reason"?)',
  },
  {
    reader: 'serve --config',
    text: 'hosts: local\nprot: 1\n',
    want: 'line 2, column 1: the unknown member "prot" (did you mean "port"?)',
  },
  { reader: 'serve --providers', text: 'providers:\n  openia: { apiKey: k }\n', want: '(did you mean "openai"?)' },
  {
    reader: 'serve --providers',
    text: 'providers:\n  openai:\n    apikey: k\n',
    want: 'line 3, column 5: providers.openai has the unknown member "apikey" (did you mean "apiKey"?)',
  },
  {
    reader: 'serve --proxies',
    text: 'proxies:\n- countries: [de]\n  ulr: x\n',
    want: 'line 3, column 3: proxies.0 has the unknown member "ulr" (did you mean "url"?)',
  },
  {
    reader: 'serve --retention',
    text: 'recordings: 7\nsesions: 1\n',
    want: 'line 2, column 1: the unknown kind "sesions", expected one of',
  },
  { reader: 'check --target', text: 'v3: &a { stop: *a }\n', want: 'an alias that contains itself' },
  { reader: 'check --target', text: 'v3: null\n---\nv4: null\n', want: 'line 2, column 1: a second document' },
  { reader: 'check --target', text: 'v3: null\nv3: null\n', want: 'line 2, column 1: text that is not YAML' },
])('names the place and the word that was meant: $reader with $text', async ({ reader, text, want }) => {
  writeFileSync(at('typo.yaml'), text);
  const { code, err } = await callSvc(...(readers[reader]?.words(at('typo.yaml')) ?? []));
  expect(code).toBe(exitCodes.usage);
  expect(err).toContain(want);
});

it.each(['serve --providers', 'serve --proxies', 'serve --config'])(
  '%s repeats no text of a broken file',
  async (reader) => {
    writeFileSync(at('secret.yaml'), 'a: "sk-hidden\n  b: {c: sk-hidden, !sk-hidden *sk-hidden');
    const { code, err } = await callSvc(...(readers[reader]?.words(at('secret.yaml')) ?? []));
    expect(code).toBe(exitCodes.usage);
    expect(err).not.toContain('sk-hidden');
  },
);

it('refuses a member that multiplies by aliases', async () => {
  const rows = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (const [index, name] of ['b', 'c', 'd', 'e', 'f'].entries())
    rows.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdef'[index]}`).join(', ')}]`);
  writeFileSync(at('bomb.yaml'), rows.join('\n'));
  const { code, err } = await callSvc(...check, '--target', at('bomb.yaml'));
  expect(code).toBe(exitCodes.usage);
  expect(err).toContain('aliases that repeat too much');
});

it.each([
  { given: token.slice(0, -8), want: 'found a replay token that was cut after' },
  { given: 'svc', want: 'found a replay token that was cut after 3 characters' },
  { given: 'svc9.abc', want: 'found the replay token "svc9.abc"' },
])('says of the replay token $given what is wrong with it', async ({ given, want }) => {
  const { code, err } = await callSvc('replay', given, '--api-key', 'svc_k');
  expect(code).toBe(exitCodes.usage);
  expect(err).toContain(want);
});
