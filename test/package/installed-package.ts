import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The package, installed in a separate folder. */
export interface InstalledPackage {
  readonly folder: string;
  readonly archive: string;
  /** Path of the program `svc`. */
  readonly svc: string;
  /** Content of the package's `package.json`. */
  readonly manifest: Readonly<Record<string, Readonly<Record<string, string>>>>;
  remove(): void;
}

/**
 * Returns the archive that SVC_PACKAGE names, because a release tests what it publishes. Otherwise builds and packs the
 * package.
 */
export async function archiveIn(folder: string): Promise<string> {
  const given = process.env['SVC_PACKAGE'];
  if (given !== undefined && given !== '') return resolve(given);
  const built = join(folder, 'built');
  await run(process.execPath, ['tools/build-package.ts', '--out', built]);
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: built });
  rmSync(built, { recursive: true });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return join(folder, archive);
}

/**
 * Installs the packed package in a folder with only its dependencies, vitest and the types of Node. No registry is
 * used: dependencies are links into the checkout.
 */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-package-'));
  const archive = await archiveIn(folder);
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  await run('tar', ['-xzf', archive, '-C', modules]);
  const installed = join(modules, 'svc-contract');
  cpSync(join(modules, 'package'), installed, { recursive: true });
  rmSync(join(modules, 'package'), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(manifest.dependencies), 'vitest', '@types/node']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(modules, name));
  }
  writeFileSync(join(folder, 'package.json'), '{"name":"consumer","type":"module","private":true}');
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  return { folder, archive, svc: join(installed, 'bin', 'svc.mjs'), manifest, remove };
}
