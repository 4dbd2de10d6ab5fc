import { lifecycle } from '#generated/rules.ts';
import { browserCost } from './browser-api.ts';
import { type JobKind, jobTarget } from '../core/job-target.ts';
import { type JsonValue, memberAt } from '../core/json.ts';
import type { ResourceKind } from '../core/ledger.ts';
import type { OperationTarget, Target } from '../core/target.ts';

/** Operation that reads the status of a resource. */
export interface StatusReader {
  operation: string;
  place: OperationTarget;
  /** Dotted path of the status in the response. */
  statusIn: string;
  /** Terminal status words. */
  ended: readonly string[];
  /** Status values of a resource that has not ended; undefined if every status outside `ended` means this. */
  pending?: readonly string[];
  /** Returns the cost in a response, decimal string in US dollars; undefined if the response shows none. */
  costIn?(json: JsonValue | undefined): string | undefined;
}

const sessionMachine = lifecycle.machines.find((machine) => machine.machine === 'session');
const endStates = (sessionMachine?.states ?? []).filter(({ kind }) => kind === 'end').map(({ name }): string => name);

/**
 * For each kind of resource, returns the status reader of a target. Returns null if the target offers no status, and
 * for profiles and workspaces.
 */
export const statusReaders: Record<ResourceKind, (target: Target) => StatusReader | null> = {
  session: () => ({
    operation: 'getSession',
    place: { method: 'GET', path: '/sessions/{session_id}' },
    statusIn: 'status',
    // The end states of V3 include the end states of V2.
    ended: endStates,
    costIn: (json) => costAt(json, 'totalCostUsd'),
  }),
  task: (target) => jobReader(target, 'task'),
  run: (target) => jobReader(target, 'run'),
  browser: (target) => browserReader(target),
  // A successful deletion is trusted: an archived workspace can still be read.
  profile: () => null,
  workspace: () => null,
};

function jobReader(target: Target, kind: JobKind): StatusReader | null {
  const job = jobTarget(target, kind);
  // The record shows the cost too.
  const place = job?.record ?? job?.status ?? null;
  if (job === undefined || place === null) return null;
  const { states, statusIn, operations } = job;
  const operation = place === job.record ? operations.record : operations.status;
  const ended = [...states.completed, ...states.ended];
  const { pending } = states;
  return { operation, place, statusIn, ended, pending, costIn: (json) => costAt(json, job.costIn) };
}

function costAt(json: JsonValue | undefined, path: string | null): string | undefined {
  const cost = path === null ? undefined : memberAt(json, path);
  return typeof cost === 'string' ? cost : undefined;
}

// If the target file names no state, a successful stop is trusted.
function browserReader({ v4 }: Target): StatusReader | null {
  const browsers = v4?.browsers ?? null;
  if (browsers === null || browsers.get === null || browsers.statusIn === null) return null;
  const { get: place, statusIn, ended } = browsers;
  return { operation: 'getBrowser', place, statusIn, ended, costIn: (json) => browserCost(json, browsers) };
}
