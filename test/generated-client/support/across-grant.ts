import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackendChanges, startBackend } from '../../support/start-backend.ts';

/**
 * Calls `before` with a backend, restarts the backend on the same data with zero data retention, and calls `after`.
 * Tests of a purge need this, because V4 keeps no sessions in such a project.
 */
export async function acrossGrant<Made>(
  before: (address: string) => Promise<Made>,
  after: (address: string, made: Made) => Promise<void>,
): Promise<void> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'svc-grant-'));
  try {
    const made = await during({ dataFolder }, before);
    await during({ dataFolder, grant: { zeroDataRetention: true } }, (address) => after(address, made));
  } finally {
    rmSync(dataFolder, { recursive: true });
  }
}

async function during<Result>(changes: BackendChanges, use: (address: string) => Promise<Result>): Promise<Result> {
  const started = await startBackend(changes);
  try {
    return await use(started.address);
  } finally {
    await started.stop();
  }
}
