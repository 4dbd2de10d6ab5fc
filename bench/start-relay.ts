import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A bare relay with a Chromium of its own. */
export interface Relay {
  /** Where a DevTools client connects; one at a time. */
  readonly address: string;
  end(): Promise<void>;
}

/** Starts one; its Chromium keeps its profile in that folder. */
export async function startRelay(profile: string): Promise<Relay> {
  const child = fork(join(import.meta.dirname, 'relay-process.ts'), [profile]);
  const [address]: unknown[] = await once(child, 'message');
  return {
    address: String(address),
    async end() {
      child.disconnect();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
