import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'svc-package-'));
const modules = join(folder, 'node_modules');
const installed = join(modules, 'svc-contract');
const svc = join(installed, 'bin', 'svc.mjs');

/** The package as npm packs it, in a project that has its dependencies; only those are linked. */
async function install(): Promise<void> {
  await run('npm', ['pack', '--silent', '--pack-destination', folder]);
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(modules);
  await run('tar', ['-xzf', join(folder, archive), '-C', modules]);
  cpSync(join(modules, 'package'), installed, { recursive: true });
  rmSync(join(modules, 'package'), { recursive: true });
  for (const name of readdirSync('node_modules')) symlinkSync(resolve('node_modules', name), join(modules, name));
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","type":"module","private":true}');
  cpSync('examples/vitest/conformance.test.ts', join(folder, 'conformance.test.ts'));
}

async function addressOf(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const address = /listening on (\S+)/.exec(line)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error('the mock has ended');
}

describe('the package, installed', () => {
  beforeAll(install, 240_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('brings svc, which runs without the sources', async () => {
    const { stdout } = await run(process.execPath, [svc, '--help'], { cwd: folder });
    expect(stdout).toContain('Usage: svc');
    expect(readdirSync(installed)).not.toContain('src');
  });

  it('brings the checks as tests of vitest', { timeout: 120_000 }, async () => {
    const mock = spawn(process.execPath, [svc, 'mock', '--port', '0', '--api-key', 'svc_mock'], { cwd: folder });
    const address = await addressOf(mock.stdout);
    writeFileSync(join(folder, 'svc-target.yaml'), 'stateless: true\n');
    const words = [
      join(modules, 'vitest', 'vitest.mjs'),
      'run',
      '--reporter=json',
      '--outputFile=results.json',
      'conformance.test.ts',
    ];
    const env = { ...process.env, SERVICE_URL: address, SVC_TARGET: 'svc-target.yaml' };
    await run(process.execPath, words, { cwd: folder, env });
    mock.kill();
    const report = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));
    expect(report).toMatchObject({ success: true, numFailedTests: 0 });
    expect(report.numPassedTests).toBeGreaterThan(40);
    expect(report.numPendingTests).toBeGreaterThan(40);
  });

  it('brings types that a strict project takes', { timeout: 60_000 }, async () => {
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2024', noEmit: true, types: ['node'] };
    // Declarations of packages are not ours to judge; that ours are understood is what the second half shows.
    const options = { ...compilerOptions, lib: ['es2024', 'esnext.disposable'], skipLibCheck: true };
    const text = JSON.stringify({ compilerOptions: options, files: ['use.ts'] });
    writeFileSync(join(folder, 'tsconfig.json'), text);
    const good =
      "import { checks } from 'svc-contract/conformance';\nconst suite = await checks({ url: 'u', apiKey: 'k' });\n";
    writeFileSync(join(folder, 'use.ts'), `${good}for (const one of suite) one.title satisfies string;\nexport {};\n`);
    const tsc = resolve('node_modules', '.bin', 'tsc');
    await run(tsc, ['-p', folder]);
    writeFileSync(join(folder, 'use.ts'), `${good}for (const one of suite) one.title satisfies number;\nexport {};\n`);
    await expect(run(tsc, ['-p', folder])).rejects.toMatchObject({ stdout: expect.stringContaining('use.ts(3') });
  });
});
