import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { problem, renderProblem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { StorageDeadline } from '#store/storage-deadline.ts';
import type { Enter } from '../http/request-scope.ts';

const answeredElsewhere = ['/api/', '/console/'];

/**
 * Answers every request of a process that only runs sandboxes with a refusal, without reading the request (decision
 * 47). Paths below /api/ and /console/ get `not_answered_here`, other paths get 404.
 */
export async function answerElsewhere(rules: RuleBook, { path }: Pick<HttpRequest, 'path'>): Promise<HttpReply> {
  const isMisdirected = answeredElsewhere.some((base) => path.startsWith(base));
  return renderProblem(problem(isMisdirected ? 'not_answered_here' : 'route_not_found', {}), rules);
}

/** A running heartbeat, and the time for which the service was down before this process started. */
export interface Heartbeat {
  /**
   * Minimum time between the end of the previous process and the start of this process, in milliseconds; Infinity
   * without a previous process.
   */
  readonly outageMs: number;
  close(): void;
}

/**
 * Heartbeat interval in milliseconds. The time of a crash is known only to this precision, so at most this time is
 * billed in excess.
 */
const everyMs = 2_000;
/** Maximum delay of a heartbeat in a busy process, in milliseconds. */
const lateMs = 2_000;

/**
 * Touches the file `.alive` in the data folder every two seconds; backups omit this file. Its modification time tells
 * the next process when this process was last alive.
 */
export function startHeartbeat(dataFolder: string, log: Pick<Logger, 'warn'>): Heartbeat {
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

/**
 * Creates a wrapper in which a request waits at most `ms` milliseconds for an unavailable database. The limit ends with
 * the first write of the request, or with its response.
 */
export function limitStorageWait(storageDeadline: StorageDeadline, ms: number): Enter {
  return (response, work) => storageDeadline.forAnswer(ms, () => response.closed, work);
}
