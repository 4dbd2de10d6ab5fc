import { mkdirSync, writeFileSync } from 'node:fs';
import { createDraw, type Draw } from '../draw.ts';
import { startOneProcessFleet } from '../kills/one-process-fleet.ts';
import { startControlServer } from './control-server.ts';
import { mountSmallDisk, type Strain } from './full-disk.ts';
import { type StrainsOptions, type StrainsResult, runStrains } from './run-strains.ts';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { table } from '../../tools/pages/markdown.ts';
import { choose } from '../work.ts';
import { currentCommit, getMedian } from '../../tools/measure/evidence.ts';

/** Options of the proof. */
export interface ProveStrainsOptions {
  /** Number of rounds of each strain. */
  readonly rounds: number;
  readonly seed: number;
  /** Text that the name of a strain must contain; empty for all strains. */
  readonly only: string;
}

const names = ['full disk', 'exclusive lock', 'clock jump'] as const;
const clients = 4;

/**
 * Runs services under strains of their environment. Writes docs/evidence/strains.md after a run of all strains. Returns
 * false when a fault of the service was found.
 */
export async function proveStrains({ rounds, seed, only }: ProveStrainsOptions): Promise<boolean> {
  const command = `npm run long -- strains --rounds ${rounds} --seed ${seed}${only === '' ? '' : ` --only ${only}`}`;
  console.log(command);
  const commit = currentCommit();
  const begun = performance.now();
  // The strains run concurrently, each with its own service, because they mostly wait.
  const chosen = choose(names, only, (one) => one);
  const control = await startControlServer();
  const results = await Promise.all(chosen.map((name) => strainService(name, { rounds, seed, control }))).finally(() =>
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

async function strainService(
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

/**
 * Creates a strain that moves the clock by up to `hoursMax` hours forward or back, through the control URL of the
 * service.
 */
function jumpClock(control: () => string, draw: Draw): Strain {
  return {
    name: 'clock jump',
    what: `the clock of the service jumps by up to ${hoursMax} hours, forward and back`,
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

/** Facts about a run for the evidence page. */
export interface StrainsRun {
  readonly command: string;
  readonly seconds: number;
  readonly commit: string;
  /** Day of the run, such as 2026-01-31. */
  readonly day: string;
}

/** Returns the text of docs/evidence/strains.md with one chapter per strain. */
function strainsPage(results: readonly StrainsResult[], { command, seconds, commit, day }: StrainsRun): string {
  const faults = results.reduce((sum, result) => sum + result.faults.length, 0);
  return `${[
    '# Strains',
    `Written by \`${command}\` on commit ${commit}, ${day}.`,
    `A service on SQLite with simulated browsers was strained at random moments while clients worked; ${faults} faults in ${seconds} s. The proof stores every acknowledged write outside of the service. It reads the newest and some of the others back after each round, and all at the end, after a \`kill -9\` and a restart.`,
    'A fault is: an acknowledged write that is lost or changed, an amount that fell, a task or session that does not end, a refusal with another status or at another time than the strain allows, a read that is refused or takes 2.5 s longer than the answer of a control server at the same moment, no write within 10 s after the strain, stored amounts that contradict each other, bytes that no row owns, and a row without its bytes.',
    ...results.flatMap(getChapter),
  ].join('\n\n')}\n`;
}

function getChapter(result: StrainsResult): string[] {
  const { strain, rounds, acknowledged, refused, facts, books, faults, servedMs, slowestReadMs, slowestControlMs } =
    result;
  const median = Math.round(getMedian(servedMs));
  const refusals = [...refused].map(([status, times]) => `${status} ${times} times`).join(', ');
  return [
    `## ${strain.name}`,
    `${rounds} rounds: ${strain.what}. Refused: ${refusals === '' ? 'nothing' : refusals}. A write was answered ${median} ms (median) after the strain, ${Math.round(Math.max(0, ...servedMs))} ms at most; the slowest read while it lasted took ${Math.round(slowestReadMs)} ms (${Math.round(slowestControlMs)} ms of the control server, which only waits for its disk). ${facts} acknowledged writes were read back; the database has ${books.sessions} sessions, ${books.runs} runs and ${books.steps} steps.`,
    table(
      ['Acknowledged', 'Times'],
      [...acknowledged]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, times]) => [name, String(times)]),
    ),
    ...(faults.length === 0 ? [] : ['Faults:', faults.map((fault) => `- ${fault}`).join('\n')]),
  ];
}
