import { type Command, InvalidArgumentError } from 'commander';
import { defaultPressureMax } from '#backend/browsers/index.ts';
import { limitOf } from '#backend/shared/limit-of.ts';
import { defaultRules } from '#domain/rule-book.ts';
import type { ServeOptions } from './start-serve.ts';

/** What the flags about browsers of `svc serve` are read to. */
export interface BrowserFlags {
  readonly warm: number;
  readonly pressureMax: number;
  /** MiB. */
  readonly browserMemory: number;
  /** MiB. */
  readonly browserDisk: number;
}

const mebibyte = 1024 * 1024;
/** More than a machine with a terabyte of memory could hold. */
const warmMax = 1_000;

/** Adds the flags that say how browsers are run. */
export function addBrowserFlags(command: Command): Command {
  return command
    .option(
      '--warm <number>',
      'browsers that are started before somebody wants them; each takes the memory of an empty browser',
      (text) => wholeNumber(text, 0, warmMax),
      0,
    )
    .option(
      '--pressure-max <percent>',
      'share of the time in which processes may wait for a processor before browsers start one by one; 100 for never',
      (text) => wholeNumber(text, 0, 100),
      defaultPressureMax,
    )
    .option(
      '--browser-memory <MiB>',
      'memory of all processes of one browser; one that uses more is ended',
      (text) => wholeNumber(text, 1, Number.MAX_SAFE_INTEGER),
      limitOf(defaultRules, 'browserMemory') / mebibyte,
    )
    .option(
      '--browser-disk <MiB>',
      'what the files of one browser take; one whose files take more is ended',
      (text) => wholeNumber(text, 1, Number.MAX_SAFE_INTEGER),
      limitOf(defaultRules, 'browserDisk') / mebibyte,
    );
}

/** The options that those flags stand for. */
export function browserOptionsOf({
  warm,
  pressureMax,
  browserMemory,
  browserDisk,
}: BrowserFlags): Pick<ServeOptions, 'warm' | 'pressureMax' | 'bounds'> {
  return { warm, pressureMax, bounds: { memoryBytes: browserMemory * mebibyte, diskBytes: browserDisk * mebibyte } };
}

function wholeNumber(text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
}
