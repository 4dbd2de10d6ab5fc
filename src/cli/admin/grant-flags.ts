import { type Command, InvalidArgumentError } from 'commander';
import type { Grant } from '#accounts/grant.ts';
import { readCredit } from '../read-credit.ts';

/** What the options of {@link addGrantFlags} say. */
export interface GrantFlags {
  /** Micro-dollars, or null for no bound. */
  readonly credit?: number | null;
  /** Null for the service's own limit. */
  readonly sessionsMax?: number | null;
  /** Null for the service's own rate. */
  readonly requestsPerSecond?: number | null;
  readonly zeroDataRetention?: boolean;
}

/** Adds the options for what a project is given. */
export function addGrantFlags(command: Command): Command {
  return command
    .option('--credit <usd>', 'what it may spend, or unlimited', readCredit)
    .option(
      '--sessions-max <number>',
      'living sessions that it may have, or default for those of svc serve',
      countOrDefault,
    )
    .option(
      '--requests-per-second <number>',
      'requests that it may send per second, or default for those of svc serve',
      countOrDefault,
    )
    .option('--zero-data-retention', 'its sessions can be purged, and V4 keeps nothing for it')
    .option('--no-zero-data-retention', 'the opposite');
}

/** The options as what a project is given; what was not said stays as it is. */
export function grantOf({ credit, sessionsMax, requestsPerSecond, zeroDataRetention }: GrantFlags): Grant {
  return {
    ...(credit === undefined ? {} : { creditMicros: credit }),
    ...(sessionsMax === undefined ? {} : { sessionsMax }),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
    ...(zeroDataRetention === undefined ? {} : { zeroDataRetention }),
  };
}

function countOrDefault(text: string): number | null {
  if (text === 'default') return null;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a whole number of at least 1, or default.');
}
