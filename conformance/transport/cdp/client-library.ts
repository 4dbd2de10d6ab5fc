import { CdpFault } from './cdp-fault.ts';
import type { CdpLimits } from '../../core/cdp.ts';
import { optionalPackages } from '#generated/rules.ts';
import { NotTestable } from '../../core/outcome.ts';

/** Abort controllers of the attached clients, by the package of the client's library. */
const attached = new Map<ClientPackage, Set<AbortController>>();

/**
 * Timeout and abort signal of one automation client. If the library of the client throws an error outside of a call,
 * the signal aborts.
 */
export interface WatchedLimits extends CdpLimits {
  /** Stops watching the library for errors of this client. Call it after the client is released. */
  unwatch: () => void;
}

/**
 * Returns limits whose signal aborts with a CdpFault when the client's library throws outside of a call, for example
 * in an event handler. Without this watch, Node would end the process.
 */
export function watchLibrary(name: ClientPackage, { timeoutMs, signal }: CdpLimits): WatchedLimits {
  const failure = new AbortController();
  const watched = attached.get(name) ?? new Set();
  if (countAttached() === 0) process.on('unhandledRejection', onRejection);
  attached.set(name, watched.add(failure));
  const unwatch = (): void => {
    watched.delete(failure);
    if (countAttached() === 0) process.off('unhandledRejection', onRejection);
  };
  return { timeoutMs, signal: AbortSignal.any([signal, failure.signal]), unwatch };
}

/** Connects a client under watched limits. Removes the watch if the connection fails. */
export async function attachWatched<Client>(limits: WatchedLimits, attach: () => Promise<Client>): Promise<Client> {
  try {
    return await attach();
  } catch (error) {
    endWatch(limits);
    throw error;
  }
}

/** Disconnects a client and removes its watch. */
export async function releaseWatched(limits: WatchedLimits, release: () => Promise<void>): Promise<void> {
  try {
    await release();
  } finally {
    endWatch(limits);
  }
}

/**
 * Stops watching a library one `lateMs` later, because the library may still fail on messages that have already
 * arrived.
 */
function endWatch({ unwatch }: WatchedLimits): void {
  setTimeout(unwatch, lateMs).unref();
}

/**
 * Time in ms for which a library is watched after a connection has ended, because its last messages are still handled
 * in this time.
 */
const lateMs = 1000;

function countAttached(): number {
  return [...attached.values()].reduce((sum, { size }) => sum + size, 0);
}

/**
 * Handles an unhandled rejection. If its stack trace names a watched library, aborts all attached clients of this
 * library. Otherwise ends the process, unless another listener handles the rejection.
 */
function onRejection(error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [name, clients] = [...attached].find(([library]) => stack.includes(`${library}/`)) ?? [];
  if (name === undefined || clients === undefined) {
    if (process.listenerCount('unhandledRejection') > 1) return;
    throw error;
  }
  const text = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
  for (const client of clients) client.abort(new CdpFault(`${name} failed on what the browser sent: ${text}`));
}

/** Name of a package with an automation client. */
export type ClientPackage = 'playwright-core' | 'puppeteer-core';

/**
 * Loads an automation client. If its package is not installed, throws NotTestable with the command that installs it.
 */
export async function loadClient<Loaded>(name: ClientPackage, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (error) {
    const isMissing = error instanceof Error && error.message.startsWith(`Cannot find package '${name}'`);
    throw isMissing ? new NotTestable(`${name} is not installed: npm install ${installed()}`) : error;
  }
}

function installed(): string {
  const row = optionalPackages.features.find(({ feature }) => feature === 'clients');
  return (row?.packages ?? []).map(({ name, range }) => `${name}@${range}`).join(' ');
}
