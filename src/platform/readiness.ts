/**
 * Readiness of a service, for load balancers and operators. `api/public` serves it as GET /readyz. The check stores
 * nothing. The first check may start a browser, to measure how its pages are isolated.
 */

import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { BrowserHost, HostReport } from '#browsers/host.ts';
import { within } from '#browsers/within.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import { type Blobs, newBlobKey } from '#store/blobs/blobs.ts';
import { pingDatabase } from '#store/open-database.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of the readiness check. */
export interface ReadinessDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly host: BrowserHost;
  readonly dataFolder: string;
  readonly rules: RuleBook;
  readonly log: Logger;
  /** Returns whether the service is shutting down. */
  readonly isShuttingDown: () => boolean;
}

/** Function that checks all parts of a service and returns the body of `GET /readyz`. */
export type ReadReadiness = () => Promise<Readiness>;

/**
 * Creates the readiness check, which checks all parts at the same time. Calls that overlap share one result. If no
 * browser was started before, the check lets the host probe Chromium. Errors go to the log, because responses without a
 * key must not show paths. Never rejects.
 */
export function createReadiness(deps: ReadinessDeps): ReadReadiness {
  let looking: Promise<Readiness> | null = null;
  return async () => {
    looking ??= look(deps).finally(() => (looking = null));
    return looking;
  };
}

async function look(deps: ReadinessDeps): Promise<Readiness> {
  const { db, blobs, host, rules } = deps;
  const timeoutMs = getLimit(rules, 'readinessCheck');
  const withTimeout = <T>(work: Promise<T>): Promise<T> => within(timeoutMs, work, `no answer within ${timeoutMs} ms`);
  const leastBytes = getLimit(rules, 'freeDisk');
  const [database, stored, free, report] = await Promise.all([
    attempt(deps, 'the database does not answer', () => withTimeout(pingDatabase(db))),
    attempt(deps, 'the blob store does not answer', () => withTimeout(blobs.get(newBlobKey('probe')))),
    attempt(deps, 'the disk cannot be looked at', () => withTimeout(freeBytes(deps.dataFolder))),
    attempt(deps, 'no browser can be started', async () => host.inspect?.()),
  ]);
  const checks = {
    database: database.state,
    blobs: stored.state,
    disk: typeof free.value === 'number' && free.value < leastBytes ? 'the disk is almost full' : free.state,
    browsers: report.state,
  };
  return {
    status: overallStatus(deps, Object.values(checks)),
    checks,
    warnings: listWarnings(report.value),
    disk: free.value === undefined ? null : { freeBytes: free.value, leastBytes },
    browsers: { kind: host.kind, ...report.value },
  };
}

function overallStatus({ isShuttingDown }: ReadinessDeps, states: readonly PartState[]): Readiness['status'] {
  if (isShuttingDown()) return 'shutting down';
  return states.every((state) => state === 'ok') ? 'ready' : 'not ready';
}

async function attempt<T>(
  { log }: ReadinessDeps,
  sentence: string,
  work: () => Promise<T>,
): Promise<{ state: PartState; value?: T }> {
  try {
    return { state: 'ok', value: await work() };
  } catch (error) {
    log.warn({ err: error }, sentence);
    return { state: sentence };
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function listWarnings(report: HostReport | undefined): string[] {
  if (report === undefined) return [];
  const { sandbox, ownUser, egressProxy } = report.isolation;
  return [
    ...(sandbox === 'none' ? ['nothing but their user holds the pages of browsers'] : []),
    ...(ownUser ? [] : ['browsers run as the user of the service']),
    ...(egressProxy ? [] : ['browsers reach the network without the proxy of the service']),
  ];
}

/** State of a part: `ok`, or a sentence about the fault without paths, addresses or keys. */
type PartState = 'ok' | (string & {});

/** Body of `GET /readyz`. */
interface Readiness {
  readonly status: 'ready' | 'not ready' | 'shutting down';
  /** State of each part. The service is not ready if the state of any part is not `ok`. */
  readonly checks: Readonly<Record<'database' | 'blobs' | 'disk' | 'browsers', PartState>>;
  /** Faults that do not prevent the service from working. */
  readonly warnings: readonly string[];
  /**
   * Free bytes on the disk of the data folder, and the minimum for readiness; null when the system does not report
   * them.
   */
  readonly disk: { readonly freeBytes: number; readonly leastBytes: number } | null;
  readonly browsers: { readonly kind: string } & Partial<HostReport>;
}
