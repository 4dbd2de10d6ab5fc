import type { WalkedEdge, Machine } from '../../core/lifecycle.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { jobTarget } from '../../core/job-target.ts';
import { identifier, memberAt } from '../../core/json.ts';
import type { Target } from '../../core/target.ts';
import { machines } from './machines.ts';

/** Operations and members that show the states of one state machine. */
interface Window {
  machine: Machine;
  /** Operations whose response is the record of the resource. */
  operations: readonly string[];
  creation: string;
  /** Dotted path of the id in the creation response. */
  idIn: string;
  statusIn: string;
}

interface Observation {
  id: string;
  state: string;
  exchange: Exchange;
}

/**
 * Returns the state transitions of resources that were observed in the run, with their counts, in the order of
 * spec/rules/lifecycle.yaml.
 */
export function walkedEdges(target: Target, exchanges: readonly Exchange[]): WalkedEdge[] {
  return machines.flatMap((machine) => {
    const window = createWindow(target, machine);
    return window === undefined ? [] : edgesThrough(window, exchanges);
  });
}

function createWindow(target: Target, machine: Machine): Window | undefined {
  if (machine.machine === 'session' && target.v3 !== null) {
    const operations = ['createSession', 'getSession', 'followUpSession', 'stopSession'];
    return { machine, operations, creation: 'createSession', idIn: target.v3.idIn, statusIn: 'status' };
  }
  if (machine.machine === 'browser') {
    const statusIn = target.v4?.browsers?.statusIn ?? null;
    const operations = ['createBrowser', 'getBrowser', 'stopBrowser'];
    return statusIn === null ? undefined : { machine, operations, creation: 'createBrowser', idIn: 'id', statusIn };
  }
  const job = machine.machine === 'session' ? undefined : jobTarget(target, machine.machine);
  if (job === undefined) return undefined;
  const { record, status, stop } = job.operations;
  const creation = job.creation.operation;
  return {
    machine,
    operations: [creation, record, status, stop],
    creation,
    idIn: job.idIn,
    statusIn: job.statusIn,
  };
}

function edgesThrough(window: Window, exchanges: readonly Exchange[]): WalkedEdge[] {
  const { machine, version, states } = window.machine;
  const own = exchanges.filter(({ generation, operation }) => {
    return generation === version && window.operations.includes(operation);
  });
  const counts = new Map<string, number>();
  for (const observations of Map.groupBy(observationsIn(window, own), ({ id }) => id).values()) {
    for (const edge of listEdges(observations)) counts.set(edge, (counts.get(edge) ?? 0) + 1);
  }
  const names = states.map(({ name }) => name);
  return names.flatMap((from) =>
    names.flatMap((to) => {
      const count = counts.get(`${from} ${to}`);
      return count === undefined ? [] : [{ machine, from, to, count }];
    }),
  );
}

function observationsIn(window: Window, exchanges: readonly Exchange[]): Observation[] {
  const ids = new Set<string>();
  const names = window.machine.states.map(({ name }) => name);
  return exchanges.flatMap((exchange) => {
    if (!succeeded(exchange)) return [];
    const id = readId(window, exchange, ids);
    const state = memberAt(exchange.json, window.statusIn);
    if (id === undefined) return [];
    ids.add(id);
    return typeof state === 'string' && names.includes(state) ? [{ id, state, exchange }] : [];
  });
}

/**
 * Returns the id of the resource that an exchange observes; undefined without an id. `ids` are the ids of earlier
 * exchanges. Returns such an id if the URL contains one, otherwise the id in the response.
 */
function readId(window: Window, { operation, request, json }: Exchange, ids: ReadonlySet<string>): string | undefined {
  const steps = request.url.split(/[/?]/).map((step) => decode(step));
  const path = operation === window.creation ? window.idIn : 'id';
  return steps.find((step) => ids.has(step)) ?? identifier(memberAt(json, path));
}

/**
 * Decodes a percent-encoded path segment of ASCII characters. Returns any other segment unchanged, because the path of
 * a probe may have an invalid encoding.
 */
function decode(step: string): string {
  if (!step.includes('%')) return step;
  return /^(?:[^%]|%[0-9a-f]{2})*$/i.test(step) && !/%[89a-f]/i.test(step) ? decodeURIComponent(step) : step;
}

/**
 * Returns the state changes between consecutive observations of one resource. The order of two overlapping exchanges is
 * unknown, so the observation of the exchange that began later is left out.
 */
function listEdges(observations: readonly Observation[]): string[] {
  const edges: string[] = [];
  let before: Observation | undefined;
  for (const sight of observations.toSorted((left, right) => left.exchange.atMs - right.exchange.atMs)) {
    if (before !== undefined && sight.exchange.atMs < before.exchange.atMs + before.exchange.durationMs) continue;
    if (before !== undefined && before.state !== sight.state) edges.push(`${before.state} ${sight.state}`);
    before = sight;
  }
  return edges;
}
