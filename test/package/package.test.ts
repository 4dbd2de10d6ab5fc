import { execFile, spawn, spawnSync } from 'node:child_process';
import { closeSync, cpSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { optionalPackages } from '#generated/rules.ts';
import { type InstalledPackage, installPackage } from './installed-package.ts';

const run = promisify(execFile);

async function readAddress(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const address = /listening on (\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('the mock has ended');
}

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
}, 600_000);
afterAll(() => installed.remove());

/** Runs Node with these arguments in the folder that has the package installed; returns its exit code and output. */
async function node(words: readonly string[]): Promise<{ code: number; text: string }> {
  const env = { ...process.env, CHROMIUM_PATH: '' };
  const ended = await run(process.execPath, words, { cwd: installed.folder, env }).catch((error: unknown) => error);
  const { code = 0, stdout, stderr } = ended as { code?: number; stdout: string; stderr: string };
  return { code, text: `${stdout}${stderr}` };
}

describe('the package', () => {
  it('brings svc, which runs without the sources', async () => {
    const { text } = await node([installed.svc, '--help']);
    expect(text).toContain('Usage: svc');
    const files = readdirSync(dirname(dirname(installed.svc)), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name) && !name.startsWith('examples'))).toEqual([]);
  });

  it('contains no private key and no helper of tests', () => {
    const root = dirname(dirname(installed.svc));
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = files.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
    const isKey = (name: string): boolean =>
      /\.(?:pem|key|p12|pfx|jks)$/i.test(name) || readFileSync(join(root, name), 'latin1').includes('PRIVATE KEY-----');
    expect(names.filter(isKey)).toEqual([]);
    expect(names.filter((name) => /(?:^|\/)testing\//.test(name))).toEqual([]);
    // The search has found the right folder: a wrong folder would have no matches either.
    expect(names).toContain('src/browsers/local-host.js');
  });

  it('has a manifest of its own: no scripts, nothing for development, and what few need is optional', () => {
    const checkout = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(installed.manifest).not.toHaveProperty('scripts');
    expect(installed.manifest).not.toHaveProperty('devDependencies');
    expect(installed.manifest).not.toHaveProperty('optionalDependencies');
    expect(installed.manifest).not.toHaveProperty('private');
    const peers = Object.entries(installed.manifest['peerDependencies'] ?? {});
    for (const [name, range] of peers) {
      expect(`${name}@${checkout.dependencies[name]}.`).toContain(`${name}@${range}.`);
      expect(installed.manifest['peerDependenciesMeta']).toHaveProperty([name], { optional: true });
    }
    const named = optionalPackages.features.flatMap(({ packages }) => packages.map(({ name }): string => name));
    expect(peers.map(([name]) => name)).toEqual([...new Set(named)].toSorted((a, b) => a.localeCompare(b)));
  });

  it('is well by publint', async () => {
    const { code, text } = await node([
      resolve('node_modules/publint/src/cli.js'),
      'run',
      '--strict',
      installed.archive,
    ]);
    expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining('All good') });
  });

  it('is well by are-the-types-wrong, for programs that are modules', () => {
    const tool = resolve('node_modules/@arethetypeswrong/cli/dist/index.js');
    // Writes to a file, because the program ends before a pipe has received all its output.
    const file = join(installed.folder, 'types.json');
    const out = openSync(file, 'w');
    spawnSync(process.execPath, [tool, '--format', 'json', installed.archive], { stdio: ['ignore', out, 'inherit'] });
    closeSync(out);
    const found: unknown[] = Object.values<unknown[]>(JSON.parse(readFileSync(file, 'utf8')).problems).flat();
    // The program exits with 1 for problems that its profile ignores, too.
    const left = found.filter((one) => {
      const { resolutionKind, resolutionOption } = one as { resolutionKind?: string; resolutionOption?: string };
      return !['node10', 'node16-cjs'].includes(resolutionKind ?? resolutionOption ?? '');
    });
    expect(left).toEqual([]);
    expect(found).not.toEqual([]);
  });

  it('brings types that a strict project takes', async () => {
    const { folder } = installed;
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, types: ['node'] };
    // `skipLibCheck` excludes the declarations of other packages. The second half tests that ours are valid.
    const options = { ...compilerOptions, lib: ['es2024', 'esnext.disposable'], skipLibCheck: true };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['use.ts'] }));
    const good = `import { checks } from 'svc-contract/conformance';
import { startMock } from 'svc-contract/mock';
import { createClient } from 'svc-contract/client';
import { type CheckClientSettings, checkClient } from 'svc-contract';
const { address } = await startMock();
const { v4 } = createClient({ baseUrl: address });
const { id } = await v4.POST('/runs', { body: { task: 'x', model: 'gpt-5.6-luna' } });
const suite = await checks({ url: address, apiKey: 'k' });
const settings: CheckClientSettings = { command: ['node', 'adapter.mjs'], only: ['run'] };
const { requirements: [rule] } = await checkClient(settings);
`;
    const uses = (type: string): string =>
      `id satisfies ${type};\nfor (const one of suite) one.title satisfies ${type};\nrule?.id satisfies ${type} | undefined;\n`;
    writeFileSync(join(folder, 'use.ts'), `${good}${uses('string')}`);
    const tsc = resolve('node_modules', '.bin', 'tsc');
    await run(tsc, ['-p', folder, '--checkers', '1']);
    writeFileSync(join(folder, 'use.ts'), `${good}${uses('number')}`);
    const { stdout } = await run(tsc, ['-p', folder, '--checkers', '1']).catch(
      (error: unknown) => error as { stdout: string },
    );
    for (const line of [11, 12, 13]) expect(stdout).toContain(`use.ts(${line}`);
  });

  it("lets a partner's tests pass against its mock, and judges one", async () => {
    const { folder, svc } = installed;
    const mock = spawn(process.execPath, [svc, 'mock', '--port', '0', '--api-key', 'svc_mock'], { cwd: folder });
    const address = await readAddress(mock.stdout);
    writeFileSync(join(folder, 'svc-target.yaml'), 'stateless: true\n');
    cpSync('examples/vitest/conformance.test.ts', join(folder, 'conformance.test.ts'));
    cpSync('test/package/partner.ts', join(folder, 'partner.test.ts'));
    // A busy machine is no fault.
    const words = [
      'run',
      '--reporter=json',
      '--outputFile=results.json',
      '--testTimeout=60000',
      'conformance.test.ts',
      'partner.test.ts',
    ];
    const env = { ...process.env, SERVICE_URL: address, SVC_TARGET: 'svc-target.yaml' };
    await run(process.execPath, [join(folder, 'node_modules/vitest/vitest.mjs'), ...words], { cwd: folder, env });
    const outputs = ['--report', 'terminal,html=report.html'];
    const check = await node([svc, 'check', address, '--api-key', 'svc_mock', '--profile', 'smoke', ...outputs]);
    mock.kill();
    const report = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));
    expect(report).toMatchObject({ success: true, numFailedTests: 0 });
    expect(report.numPassedTests).toBeGreaterThan(40);
    expect(report.numPendingTests).toBeGreaterThan(40);
    expect(check).toMatchObject({ code: 0, text: expect.stringContaining('PASSED: no violation') });
    // The report needs its style and its script, which are separate files of the package.
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toMatch(
      /<style>[^<]*--[\s\S]*<script>[\s\S]*addEventListener/,
    );
  });
});

describe('what needs a package that is not there names the command that adds it', () => {
  const nowhere = 'postgres://user:secret@127.0.0.1:1/svc';
  const wire = (name: string): string =>
    `(await at('src/agent/providers/apis/${name}.js')).createWire({ apiKey: 'k', baseUrl: 'http://127.0.0.1:1' })`;

  /** Returns the npm command that installs all packages of a feature. */
  function command(feature: string): string {
    const row = optionalPackages.features.find((one) => one.feature === feature);
    const words: readonly { name: string; range: string }[] = row?.packages ?? [];
    return `npm install ${words.map(({ name, range }) => `${name}@${range}`).join(' ')}`;
  }

  const commands = [
    { feature: 'browsers', words: ['serve', '--port', '0'] },
    { feature: 'database', words: ['admin', 'backup', 'copy', '--database', nowhere] },
    { feature: 'database', words: ['doctor', '--database', nowhere] },
    {
      feature: 'database',
      words: ['serve', '--hosts', 'simulated', '--port', '0', '--database', nowhere],
    },
    { feature: 'reference', words: ['spec', 'docs', '--out', 'reference.html'] },
    { feature: 'documents', words: ['spec', 'diff', 'v4', 'v4'] },
  ];
  it.each(commands)('$feature: svc $words', async ({ feature, words }) => {
    const { code, text } = await node([installed.svc, ...words]);
    expect({ code, text }).toEqual({ code: 2, text: expect.stringContaining(`${command(feature)}\n`) });
    expect(text).not.toMatch(/ {4}at |user:secret/);
  });

  const owned = '{ defer() {} }';
  const calls = [
    { feature: 'database', call: `(await at('src/store/open-database.js')).openDatabase('${nowhere}')` },
    { feature: 'bucket', call: `(await at('src/cli/serve/open-parts.js')).openBlobs({ bucket: 'b' }, ${owned})` },
    { feature: 'traces', call: `(await at('src/cli/serve/open-parts.js')).openTraces({}, ${owned})` },
    { feature: 'openai', call: wire('openai-responses') },
    { feature: 'openai', call: wire('chat-completions') },
    { feature: 'anthropic', call: wire('anthropic-messages') },
    { feature: 'google', call: wire('google-generate-content') },
    {
      feature: 'clients',
      call: "(await at('conformance/transport/cdp/connectors.js')).connectors.playwright('', {})",
    },
    {
      feature: 'clients',
      call: "(await at('conformance/transport/cdp/connectors.js')).connectors.puppeteer('', {})",
    },
    {
      feature: 'programs',
      call: "(await at('src/agent/output/program/run-program.js')).runProgram('1', {}).then(({ reason }) => { throw reason })",
    },
  ];
  it('in a process that goes on', async () => {
    const place = new URL(`file://${dirname(dirname(installed.svc))}/`);
    const lines = calls.map(
      ({ call }) => `try { await ${call}; console.log('nothing') } catch (error) { console.log(String(error)) }`,
    );
    const program = `const at = (path) => import('${String(place)}' + path);\n${lines.join('\n')}`;
    const { text } = await node(['--input-type=module', '--eval', program]);
    const told = text.trim().split('\n');
    expect(told).toEqual(calls.map(({ feature }) => expect.stringContaining(command(feature))));
  });
});

it('what is optional in the package is there in a checkout', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const { packages } of optionalPackages.features)
    for (const { name } of packages) expect(Object.keys(dependencies)).toContain(name);
});
