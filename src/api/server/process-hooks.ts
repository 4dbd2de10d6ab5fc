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
 * Refuses API and console requests in a process that only runs sandboxes (decision 47), without reading them. The page
 * of the console and unknown paths get 404.
 */
export async function answerElsewhere(rules: RuleBook, { path }: Pick<HttpRequest, 'path'>): Promise<HttpReply> {
  const isMisdirected = answeredElsewhere.some((base) => path.startsWith(base));
  return refuse(problem(isMisdirected ? 'not_answered_here' : 'route_not_found', {}), rules);
}

/** A running heartbeat, and how long the service was down before this process started. */
export interface Heartbeat {
  /**
   * Milliseconds during which the previous process certainly served no requests; infinite without a previous process.
   */
  readonly outageMs: number;
  close(): void;
}

/** Heartbeat interval in milliseconds: the precision of a crash time, and the maximum time that is billed in excess. */
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
 * Creates a wrapper that lets requests wait at most `ms` milliseconds for an unavailable database. The work that a
 * request started continues afterwards.
 */
export function limitStorageWait(storageDeadline: StorageDeadline, ms: number): Enter {
  return (response, work) => storageDeadline.forAnswer(ms, () => response.closed, work);
}
