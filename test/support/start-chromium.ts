import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from '#browsers/launch/find-chromium.ts';

/** A plain Chromium with a DevTools port on the loopback interface. */
export interface StartedChromium {
  /** URL of the browser's DevTools WebSocket. */
  readonly address: string;
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

/** Starts a Chromium without a gateway, so that it executes every command of a client. */
export async function startChromium(): Promise<StartedChromium> {
  const { path, environment } = await findChromium();
  const folder = mkdtempSync(join(tmpdir(), 'svc-chromium-'));
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
  ];
  const child = spawn(path, [...flags, 'about:blank'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  return {
    address: await readAddress(child),
    ended,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const address = /listening on (ws:\S+)/.exec(text)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(`Chromium ended before it listened: ${text.slice(-400)}`)));
  });
}
