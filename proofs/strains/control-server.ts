import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onExit } from '../../tools/conformance/svc-process.ts';

/** A trivial server in a separate process. Its response time shows the load of the machine. */
export interface ControlServer {
  /** Returns the milliseconds until the server has written to disk and answered. */
  ask(): Promise<number>;
  close(): void;
}

/**
 * Source of a server in a child process: each request writes a few bytes, waits for the disk like a commit, and is
 * answered.
 */
const program = `
  const { createServer } = require('node:http');
  const { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } = require('node:fs');
  const folder = mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'svc-control-'));
  const file = openSync(folder + '/file', 'w');
  rmSync(folder, { recursive: true });
  // The server closes no idle connection, which a stalled prover may be about to use.
  createServer({ keepAliveTimeout: 0 }, (request, response) => {
    writeSync(file, 'x', 0);
    fsyncSync(file);
    response.end();
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
`;

/** Starts the control server. */
export async function startControlServer(): Promise<ControlServer> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const forget = onExit(() => void child.kill('SIGKILL'));
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the control server ended with ${code}`)));
  });
  return {
    async ask() {
      const begun = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/`)).text();
      return performance.now() - begun;
    },
    close() {
      forget();
      child.kill('SIGKILL');
    },
  };
}
