import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isLoss } from './database-away.ts';

/** Asks a database that is away whether it is back, once for all who wait for it. */
export interface Probe {
  /** Settles when a connection can be made again, or the probe is closed; asks only while somebody waits. Never rejects. */
  back(): Promise<void>;
  close(): void;
}

/** How long a database that is away is left alone before it is asked again, in milliseconds. */
const askAgainMs = 100;

/** A probe of the database of a pool. */
export function createProbe(pool: Pool): Probe {
  let asking: Promise<void> | null = null;
  const closing = new AbortController();
  const ask = async (): Promise<void> => {
    while (!closing.signal.aborted && !(await answers(pool))) await setTimeout(askAgainMs);
  };
  return {
    back() {
      asking ??= ask().finally(() => (asking = null));
      return asking;
    },
    close: () => closing.abort(),
  };
}

/** What is no loss is for whoever needs the connection to be told. */
async function answers(pool: Pool): Promise<boolean> {
  try {
    (await pool.connect()).release();
    return true;
  } catch (error) {
    return error instanceof Error && !isLoss(error);
  }
}
