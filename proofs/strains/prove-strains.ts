import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createDraw, type Draw } from '../draw.ts';
import { startOneProcessFleet } from '../kills/one-process-fleet.ts';
import { startControlServer } from './control-server.ts';
import { mountSmallDisk, type Strain } from './full-disk.ts';
import { type StrainsOptions, type StrainsResult, runStrains } from './run-strains.ts';
import { strainsPage } from './strains-page.ts';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Options of the proof. */
export interface ProveStrainsOptions {
  /** Number of rounds of each strain. */
  readonly rounds: number;
  readonly seed: number;
  /** Part of the names of the strains; empty for all. */
  readonly only: string;
}

const names = ['full disk', 'exclusive lock', 'clock jump'] as const;
const clients = 4;

/** Strains services and writes docs/evidence/strains.md after a run of all strains; false when a fault was found. */
export async function proveStrains({ rounds, seed, only }: ProveStrainsOptions): Promise<boolean> {
  const command = `npm run long -- strains --rounds ${rounds} --seed ${seed}${only === '' ? '' : ` --only ${only}`}`;
  console.log(command);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const begun = performance.now();
  // Concurrently, each with its own service, because they mostly wait.
  const chosen = names.filter((one) => one.includes(only));
  const control = await startControlServer();
  const results = await Promise.all(chosen.map((name) => strain(name, { rounds, seed, control }))).finally(() =>
    control.close(),
  );
  for (const { faults } of results) for (const fault of faults) console.error(`FAULT: ${fault}`);
  const seconds = Math.round((performance.now() - begun) / 1000);
  const run = { command, seconds, commit, day: new Date().toISOString().slice(0, 10) };
  if (only === '') {
    mkdirSync('docs/evidence', { recursive: true });
    writeFileSync('docs/evidence/strains.md', strainsPage(results, run));
  }
  return results.every(({ faults }) => faults.length === 0);
}

async function strain(
  name: (typeof names)[number],
  { rounds, seed, control }: Pick<StrainsOptions, 'rounds' | 'seed' | 'control'>,
): Promise<StrainsResult> {
  const disk = name === 'full disk' ? mountSmallDisk() : null;
  const fleet = await startOneProcessFleet({
    hosts: 'simulated',
    database: null,
    ...(disk === null ? {} : { parent: disk.folder }),
  });
  const chosen: Strain =
    disk?.strain ??
    (name === 'exclusive lock' ? lockDatabase(fleet.dataFolder) : jumpClock(fleet.control, createDraw(seed + 1)));
  try {
    return await runStrains({ fleet, strain: chosen, rounds, seed, control, clients, progress: console.log });
  } finally {
    fleet.remove();
    chosen.remove();
  }
}

/** Creates a strain that locks the database of a data folder from this process. */
function lockDatabase(dataFolder: string): Strain {
  const database = new DatabaseSync(join(dataFolder, 'svc.sqlite'), { timeout: 10_000 });
  return {
    name: 'exclusive lock',
    what: '`BEGIN EXCLUSIVE` of another process',
    refusals: [503],
    lastsMs: [50, 4_000],
    begin: async () => database.exec('begin exclusive'),
    end: async () => database.exec('rollback'),
    remove: () => database.close(),
  };
}

const hourMs = 3_600_000;

const hoursMax = 12;

/** Creates a strain that moves the clock by hours in both directions, through the control URL of the service. */
function jumpClock(control: () => string, draw: Draw): Strain {
  return {
    name: 'clock jump',
    what: `the time of the machine jumps by up to ${hoursMax} hours, forward and back`,
    refusals: [],
    lastsMs: [0, 0],
    async begin() {
      const advanceMs = Math.round((draw.random() * 2 - 1) * hoursMax * hourMs);
      const { status } = await fetch(`${control()}/clock`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ advanceMs }),
      });
      if (status !== 200) throw new Error(`the clock was moved by ${advanceMs} ms and answered ${status}`);
    },
    end: async () => undefined,
    remove: () => undefined,
  };
}
