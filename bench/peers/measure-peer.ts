import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer, Prepared } from './peer.ts';
import { placeOn } from './prepare-document.ts';
import type { Broken, Generation } from './sample.ts';
import { type Counts, openStage } from './stage.ts';

/** Result of one run of one tool. */
export interface Measured extends Counts {
  readonly peer: string;
  /** Id of the broken server; null for a good one. */
  readonly mutant: string | null;
  readonly generation: Generation;
  readonly seconds: number;
  readonly cutShort: boolean;
  readonly signatures: readonly string[];
}

/** A run to make. */
export interface Job {
  readonly peer: Peer;
  readonly prepared: Prepared;
  readonly generation: Generation;
  readonly mutant: Broken | null;
}

/** Runs a tool once against a new server. */
export async function measurePeer({ peer, prepared, generation, mutant }: Job, scratch: string): Promise<Measured> {
  mkdirSync(scratch, { recursive: true });
  const folder = mkdtempSync(join(scratch, 'run-'));
  const stage = await openStage(generation, mutant ?? undefined);
  try {
    const file = join(folder, prepared.fileName);
    writeFileSync(file, placeOn(stage, prepared.text));
    const start = performance.now();
    const { signatures, cutShort } = await peer.run({ stage, generation, file, folder });
    const seconds = (performance.now() - start) / 1000;
    const counts = stage.count();
    return { peer: peer.name, mutant: mutant?.id ?? null, generation, seconds, cutShort, ...counts, signatures };
  } finally {
    await stage.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
