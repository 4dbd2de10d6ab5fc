import type { Command } from 'commander';
import { defaultRules, limitOf } from '#contract/rule-book.ts';
import { readCount } from '../read-count.ts';
import { readCredit } from '../read-credit.ts';
import { type SessionsMax, readSessionsMax } from './read-sessions-max.ts';
import type { ServeOptions } from './serve-options.ts';

/** What projects, sessions and addresses may do at most. */
export interface LimitFlags {
  readonly inactivityMinutes: number;
  readonly sessionsMax: SessionsMax;
  readonly connectionsPerAddress: number;
  readonly requestsPerSecond?: number;
  /** Micro-dollars, or null for no bound. */
  readonly credit?: number | null;
  readonly zeroDataRetention?: true;
}

const minuteMs = 60_000;
const tiers = `${defaultRules.pricing.sessionTiers[0]?.sessions} to ${defaultRules.pricing.sessionTiers.at(-1)?.sessions}`;

/** Adds the flags to `svc serve`. */
export function addLimitFlags(command: Command): Command {
  return command
    .option('--inactivity-minutes <number>', 'idle time after which a session is timed out', readCount, 15)
    .option(
      '--sessions-max <number>',
      `living sessions that one project may have; by-spend: ${tiers}, by what it has spent`,
      readSessionsMax,
      25,
    )
    .option('--connections-per-address <number>', 'connections that one address may hold', readCount, 1000)
    .option(
      '--requests-per-second <number>',
      `requests that one project may send per second, such as ${limitOf(defaultRules, 'requestRate')}; more are refused with 429 (default: any number)`,
      readCount,
    )
    .option(
      '--credit <usd>',
      'what each project of a key that is given or made here may spend; "unlimited" takes the bound away again (default: unlimited for new projects)',
      readCredit,
    )
    .option(
      '--zero-data-retention',
      'the projects of the keys that are given or made here can purge sessions, and V4 keeps nothing for them',
    );
}

/** What the flags ask for. */
export function limitOptionsOf(
  flags: LimitFlags,
): Pick<ServeOptions, 'inactivityMs' | 'activeSessionsMax' | 'grant' | 'connectionsPerAddress' | 'requestsPerSecond'> {
  return {
    inactivityMs: flags.inactivityMinutes * minuteMs,
    activeSessionsMax: flags.sessionsMax,
    grant: {
      ...(flags.credit === undefined ? {} : { creditMicros: flags.credit }),
      ...(flags.zeroDataRetention === undefined ? {} : { zeroDataRetention: flags.zeroDataRetention }),
    },
    connectionsPerAddress: flags.connectionsPerAddress,
    ...(flags.requestsPerSecond === undefined ? {} : { requestsPerSecond: flags.requestsPerSecond }),
  };
}
