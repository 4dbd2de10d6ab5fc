import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withConfiguration } from './with-configuration.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-configuration-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

interface Given {
  readonly file?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

/** Runs a command with one option of each kind. Returns the values of its options and the printed text. */
async function read({ file, environment = {}, flags = [] }: Given): Promise<{ found: object | null; printed: string }> {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const path = join(folder, 'svc.yaml');
  if (file !== undefined) writeFileSync(path, file);
  let found: object | null = null;
  const print = vi.spyOn(console, 'log').mockReturnValue();
  const command = new Command('serve')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .option('--port <number>', 'a number', number, 8080)
    .option('--public-url <url>', 'a text without a default')
    .addOption(new Option('--hosts <kind>', 'one of two').choices(['local', 'simulated']).default('local'))
    .option('--key <key>', 'a list', (value: string, earlier: string[]) => [...earlier, value], [])
    .option('--require-proxy', 'a switch')
    .option('--no-mail', 'a switch that takes away');
  const run = async (flagsRead: object): Promise<void> => void (found = flagsRead);
  withConfiguration(command, { run, secrets: ['key'], elsewhere: { 'public-url': 'OTHERS_URL' } });
  await command.parseAsync([...(file === undefined ? [] : ['--config', path]), ...flags], { from: 'user' });
  return { found, printed: print.mock.calls.flat().join('\n').replaceAll(folder, '.') };
}

function number(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number.');
}

it('uses defaults without other sources', async () => {
  const { found } = await read({});
  expect(found).toEqual({ port: 8080, hosts: 'local', key: [], mail: true });
});

it('prefers a flag to the environment, the file and the default', async () => {
  const file = 'port: 1\nhosts: simulated\npublic-url: http://file';
  const environment = { SVC_PORT: '2', SVC_PUBLIC_URL: 'http://environment' };
  expect((await read({ file, environment, flags: ['--port', '3'] })).found).toMatchObject({
    port: 3,
    publicUrl: 'http://environment',
    hosts: 'simulated',
  });
});

it('prefers a flag even when its value is the default', async () => {
  expect((await read({ environment: { SVC_PORT: '2' }, flags: ['--port', '8080'] })).found).toMatchObject({
    port: 8080,
  });
});

it('reads lists and switches from a file', async () => {
  const file = 'key: [a, b]\nrequire-proxy: true\nmail: false\npublic-url:\n';
  expect((await read({ file })).found).toMatchObject({ key: ['a', 'b'], requireProxy: true, mail: false });
});

it('reads lists and switches from the environment', async () => {
  const environment = { SVC_KEY: 'a, b', SVC_REQUIRE_PROXY: 'false', SVC_MAIL: 'false', SVC_PUBLIC_URL: '' };
  expect((await read({ environment })).found).toEqual({
    port: 8080,
    hosts: 'local',
    key: ['a', 'b'],
    requireProxy: false,
    mail: false,
  });
});

it('reads an alternative variable when its own is not set', async () => {
  const environment = { OTHERS_URL: 'http://others' };
  expect((await read({ environment })).found).toMatchObject({ publicUrl: 'http://others' });
  expect((await read({ environment: { SVC_PUBLIC_URL: 'http://ours' } })).found).toMatchObject({
    publicUrl: 'http://ours',
  });
  const { printed } = await read({ environment: { SVC_PUBLIC_URL: '' }, flags: ['--print-config'] });
  expect(printed).toContain('public-url: http://others # environment (OTHERS_URL)');
});

it('reads the path of the file from the environment', async () => {
  writeFileSync(join(folder, 'other.yaml'), 'port: 5');
  const environment = { SVC_CONFIG: join(folder, 'other.yaml') };
  expect((await read({ environment })).found).toMatchObject({ port: 5 });
});

it.each([
  [{ file: 'prot: 1' }, 'Found in FILE, line 1, column 1: the unknown member "prot" (did you mean "port"?)'],
  [
    { file: 'hosts: local\nport: eighty' },
    'found an unusable value for "port" in FILE, line 2, column 1: Expected a number',
  ],
  [
    { file: 'hosts: real' },
    'found an unusable value for "hosts" in FILE, line 1, column 1: Allowed choices are local, simulated',
  ],
  [{ file: 'port: [1]' }, 'in FILE, line 1, column 1: something else than one value for "port"'],
  [{ file: 'key: a' }, 'in FILE, line 1, column 1: something else than a list for "key"'],
  [{ file: 'mail: "no"' }, 'in FILE, line 1, column 1: something else than true or false for "mail"'],
  [{ file: '- port' }, 'in FILE, line 1, column 1: no mapping, expected lines such as "port: 8080"'],
  [{ file: 'port: 1\nport: 2' }, 'in FILE, line 2, column 1: text that is not YAML (DUPLICATE_KEY)'],
  [{ file: 'config: other.yaml' }, 'the unknown member "config"'],
  [{ environment: { SVC_PORT: '1e3' } }, 'found an unusable value for "port" in SVC_PORT: Expected a number'],
  [{ environment: { SVC_MAIL: 'off' } }, 'found "off" for "mail" in SVC_MAIL, expected true or false'],
  [{ flags: ['--config', '/nowhere.yaml'] }, 'Found no file at /nowhere.yaml (ENOENT). Expected settings as YAML'],
])('refuses %j', async (given, sentence) => {
  const message = await read(given).then(
    () => 'accepted',
    (error: unknown) => String(error),
  );
  expect(message.replaceAll(join(folder, 'svc.yaml'), 'FILE')).toContain(sentence);
});

it('prints every setting with its source and masks secrets', async () => {
  const file = 'port: 1\nhosts: simulated';
  const environment = { SVC_PORT: '2', SVC_PUBLIC_URL: 'http://me:hidden@proxy', SVC_PROT: '3' };
  const { found, printed } = await read({
    file,
    environment,
    flags: ['--key', 'svc_a', '--no-mail', '--print-config'],
  });
  expect(found).toBeNull();
  const lines = printed.split('\n').filter((line) => !line.startsWith('#') || line.includes('SVC_PROT'));
  expect(lines).toEqual([
    'port: 2 # environment (SVC_PORT)',
    'public-url: http://********@proxy # environment (SVC_PUBLIC_URL)',
    'hosts: simulated # file (./svc.yaml, line 2, column 1)',
    'key: [ "********" ] # flag (--key)',
    'require-proxy: false # default',
    'mail: false # flag (--no-mail)',
    '# not read: SVC_PROT names no setting',
  ]);
});

it('prints a configuration that can be read again', async () => {
  const { printed } = await read({ flags: ['--port', '3', '--require-proxy', '--print-config'] });
  expect(parse(printed)).toMatchObject({ port: 3, 'public-url': null, key: [], 'require-proxy': true, mail: true });
  expect((await read({ file: printed })).found).toMatchObject({ port: 3, requireProxy: true, mail: true });
});
