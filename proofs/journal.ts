import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Done } from './work.ts';
import { currentCommit } from '../tools/measure/evidence.ts';

/** A result of a proof. `key` is the permanent name of the piece of work that produced the result. */
interface Named {
  readonly key: string;
}

/**
 * Results of a proof on the current commit. If the proof was interrupted, its next start continues from these results.
 */
export interface Journal<Found extends Named = Done> {
  /** See {@link currentCommit}. */
  readonly commit: string;
  readonly done: ReadonlyMap<string, Found>;
  add(found: Found): void;
}

/** Opens the journal of a proof below `.svc/long/`; `fresh` empties it. */
export function openJournal<Found extends Named = Done>(name: string, fresh: boolean): Journal<Found> {
  const commit = currentCommit();
  const file = `.svc/long/${name}-${commit}.jsonl`;
  if (fresh) rmSync(file, { force: true });
  mkdirSync(dirname(file), { recursive: true });
  const done = new Map(read<Found>(file).map((found) => [found.key, found]));
  return {
    commit,
    done,
    add: (found) => {
      done.set(found.key, found);
      appendFileSync(file, `${JSON.stringify(found)}\n`);
    },
  };
}

/** Reads the results of a journal. Removes a last line that an interruption has cut short. */
function read<Found>(file: string): Found[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  return (
    whole
      .split('\n')
      .filter((line) => line !== '')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this file writes the lines
      .map((line) => JSON.parse(line) as Found)
  );
}
