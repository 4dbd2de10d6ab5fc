import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Folder of the installed tools, outside of the project's packages. */
const cache = process.env['SVC_PEERS_CACHE'] ?? join(homedir(), '.cache', 'svc-contract-peers');

interface Tool {
  readonly version: string;
  /** Absolute path of the tool's executable. */
  readonly bin: string;
}

/**
 * Executables and versions of the tools. `java` returns why Java cannot be used, or undefined if it can. `schemathesis`
 * returns its version, or an empty string if it is missing.
 */
export const installed = {
  specmatic: tool(cache, 'specmatic', 'specmatic'),
  portman: tool(cache, '@apideck/portman', 'portman'),
  newman: tool(cache, 'newman', 'newman'),
  dredd: tool(cache, 'dredd', 'dredd'),
  downConvert: tool(cache, '@apiture/openapi-down-convert', 'openapi-down-convert'),
  redocly: tool('.', '@redocly/cli', 'redocly'),
  java: (): string | undefined =>
    answers('java', '-version') ? undefined : 'there is no java; default-jre-headless has one',
  schemathesis: (): string => (answers('st', '--version') ? execFileSync('st', ['--version']).toString().trim() : ''),
} as const;

/**
 * Installs the tools into the cache in the versions of the lock file, without running install scripts. Does nothing if
 * Specmatic is in the cache.
 */
export function installPeers(): void {
  if (existsSync(join(cache, 'node_modules', 'specmatic'))) return;
  mkdirSync(cache, { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join('bench/peers/installed', name), join(cache, name));
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: cache, stdio: 'inherit' });
}

function tool(folder: string, name: string, program: string): Tool {
  return {
    bin: resolve(folder, 'node_modules', '.bin', program),
    get version(): string {
      const manifest: unknown = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
      return String(Object.getOwnPropertyDescriptor(manifest, 'version')?.value);
    },
  };
}

function answers(command: string, flag: string): boolean {
  return spawnSync(command, [flag], { stdio: 'ignore' }).status === 0;
}
