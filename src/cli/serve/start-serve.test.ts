import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-start-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/**
 * Starts a service with real browsers, but without warm browsers. Returns the URLs of the modules, and the names of
 * Node's internal modules, that the service has loaded after its first response.
 */
async function loadedAtFirstAnswer(): Promise<{ readonly modules: string[]; readonly ofNode: string[] }> {
  const telling = `
    import { registerHooks } from 'node:module';
    const modules = [];
    registerHooks({ load: (url, context, next) => (modules.push(url), next(url, context)) });
    process.on('exit', () => console.error(JSON.stringify({ modules, ofNode: process.moduleLoadList })));`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(telling)}`;
  const args = [
    '--port',
    '0',
    '--data',
    folder,
    '--bootstrap-key',
    'svc_start',
    '--warm',
    '0',
    '--log-level',
    'silent',
  ];
  const child = spawn(process.execPath, [preload, 'bin/svc.mjs', 'serve', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const told = text(child.stderr);
  // When the service does not listen, its error output is the better message.
  const address = await Promise.race([readAddress(child.stdout), told.then((said) => Promise.reject(new Error(said)))]);
  await (await fetch(`${address}/healthz`)).text();
  child.kill('SIGTERM');
  const loaded: unknown = JSON.parse(await told);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is what the preload above says
  return loaded as { modules: string[]; ofNode: string[] };
}

async function readAddress(output: Readable): Promise<string> {
  for await (const line of createInterface({ input: output }))
    if (line.startsWith('listening on ')) return line.slice('listening on '.length);
  throw new Error('it ended without a word that it listens');
}

it('loads no modules of tasks, browsers and configuration files at the start', async () => {
  const { modules, ofNode } = await loadedAtFirstAnswer();
  const later =
    /node_modules\/(playwright-core|proxy-chain|socks|yaml|pg|@aws-sdk|@opentelemetry)\/|\/agent\/(planner\/(offline-planner|follow|instructions)|loop\/(create-model-agent|work)|providers\/(wires|call))|\/browsers\/(egress\/egress-gate|fresh-chromium|stealth\/index|live\/create-live-view)/;
  expect(modules.filter((url) => later.test(url))).toEqual([]);
  // The HTTP client, which an import of `node:http` loads.
  expect(ofNode.filter((name) => name.endsWith('internal/deps/undici/undici'))).toEqual([]);
});
