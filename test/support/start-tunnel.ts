import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A separate `svc tunnel` process. */
export interface StartedTunnel {
  /** `127.0.0.1:<port>`, for chromedriver's debuggerAddress. */
  readonly address: string;
  /** Resolves to the exit code after the process has ended. */
  readonly exited: Promise<number | null>;
  /** Returns the tunnel's error output so far. */
  complaints(): string;
  /** Ends the tunnel with SIGTERM. */
  stop(): Promise<void>;
}

/** Starts the tunnel on a free port. Rejects with the tunnel's error output if the tunnel ends before it listens. */
export async function startTunnel(cdpUrl: string, ...args: string[]): Promise<StartedTunnel> {
  const child = spawn(process.execPath, ['src/cli/main.ts', 'tunnel', cdpUrl, '--port', '0', ...args]);
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  // Node emits `close` after all output has been read.
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
