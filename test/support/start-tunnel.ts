import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A `svc tunnel` in a process of its own. */
export interface StartedTunnel {
  /** `127.0.0.1:<port>`, for chromedriver's debuggerAddress. */
  readonly address: string;
  /** Settles with the exit code. */
  readonly exited: Promise<number | null>;
  /** Returns its output on standard error so far. */
  complaints(): string;
  /** Ends it as a user would. */
  stop(): Promise<void>;
}

/** Starts the tunnel on a free port. Rejects with its output if it ends before it listens. */
export async function startTunnel(cdpUrl: string, ...args: string[]): Promise<StartedTunnel> {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'tunnel', cdpUrl, '--port', '0', ...args]);
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  // `close` comes when its output has been read.
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('listening on http://')) resolve(line.slice('listening on http://'.length));
    });
    void exited.then((code) => reject(new Error(`svc tunnel ended with exit code ${code}: ${complaints}`)));
  });
  return {
    address,
    exited,
    complaints: () => complaints,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
