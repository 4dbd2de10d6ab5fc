import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { StorageDeadline } from '#store/storage-deadline.ts';
import type { Enter } from '../http/request-scope.ts';
import { refuse } from '../http/refuse.ts';

const answeredElsewhere = ['/api/', '/console/'];

/**
 * What a process that only runs sandboxes says to a request of the interface or the console (decision 47): that it came to the wrong one,
 * whoever sent it. Nothing of the request is read. The page of the console and unknown paths are not there.
 */
export async function answerElsewhere(rules: RuleBook, { path }: Pick<HttpRequest, 'path'>): Promise<HttpReply> {
  const isMisdirected = answeredElsewhere.some((base) => path.startsWith(base));
  return refuse(problem(isMisdirected ? 'not_answered_here' : 'route_not_found', {}), rules);
}

/** Tells a later process how long an earlier one has lived. */
export interface LifeSign {
  /** For how long the process before this one cannot have served anybody, in milliseconds; infinite where nothing is known of one. */
  readonly outageMs: number;
  close(): void;
}

/** A kill is known to this exactness, and time is billed for it at most. */
const everyMs = 2_000;
/** A busy process gives its signs late, and serves meanwhile. */
const lateMs = 2_000;

/** Gives a sign of life at a file of a data folder every two seconds, which no backup takes along: its time of change says when the process lived last. */
export function giveLifeSigns(dataFolder: string, log: Pick<Logger, 'warn'>): LifeSign {
  const file = join(dataFolder, '.alive');
  const before = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const outageMs =
    before === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Date.now() - before - everyMs - lateMs);
  writeFileSync(file, '', { mode: 0o600 });
  const timer = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch (error) {
      log.warn({ err: error, file }, 'no sign of life could be given: after a kill less time is billed');
    }
  }, everyMs);
  timer.unref();
  return { outageMs, close: () => clearInterval(timer) };
}

/** Requests wait for a database that is away for `ms` milliseconds at most; what they have set going goes on when they are answered. */
export function waitWithPatience(patience: StorageDeadline, ms: number): Enter {
  return (response, work) => patience.forAnswer(ms, () => response.closed, work);
}
