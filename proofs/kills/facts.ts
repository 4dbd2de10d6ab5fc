import { type JsonObject, isJsonObject, textOf } from '#conformance/core/json.ts';
import type { CallService } from '../service/call-service.ts';

/** Rules for records of one kind. */
interface RecordRule {
  readonly path: (id: string) => string;
  /** Final states; empty for records without an end. */
  readonly ends: readonly string[];
  readonly others: readonly string[];
  /** Amounts that never decrease. */
  readonly grows: readonly string[];
  /** Members that add up to another member. */
  readonly sum?: { readonly parts: readonly string[]; readonly whole: string };
  /** Members that do not change after the end. */
  readonly settled: readonly string[];
}

const costs = ['llmCostUsd', 'proxyCostUsd', 'browserCostUsd', 'totalCostUsd'] as const;

/** Kinds of records with their rules. */
const recordRules = {
  'v3 session': {
    path: (id) => `v3/sessions/${id}`,
    ends: ['stopped', 'timed_out', 'error'],
    others: ['created', 'idle', 'running'],
    grows: ['stepCount', 'totalInputTokens', 'totalOutputTokens', ...costs],
    sum: { parts: costs.slice(0, 3), whole: 'totalCostUsd' },
    settled: ['status', 'output', 'stepCount', ...costs],
  },
  'v2 task': {
    path: (id) => `v2/tasks/${id}`,
    ends: ['finished', 'stopped', 'failed'],
    others: ['created', 'started'],
    grows: ['cost'],
    settled: ['status', 'output', 'isSuccess', 'finishedAt', 'cost'],
  },
  'v4 run': {
    path: (id) => `v4/runs/${id}`,
    ends: ['completed', 'failed', 'cancelled'],
    others: ['queued', 'dispatching', 'running'],
    grows: ['totalInputTokens', 'totalOutputTokens', 'totalCostUsd'],
    settled: ['status', 'result', 'error', 'totalInputTokens', 'totalOutputTokens', 'totalCostUsd'],
  },
  'v4 browser': {
    path: (id) => `v4/browsers/${id}`,
    ends: ['stopped'],
    others: ['active'],
    grows: [],
    settled: ['status', 'finishedAt', 'browserCost', 'proxyCost'],
  },
  'v4 message': {
    path: (id) => `v4/sessions/${id}`,
    ends: ['consumed', 'cancelled'],
    others: ['pending'],
    grows: [],
    settled: ['status', 'runId', 'text'],
  },
} as const satisfies Record<string, RecordRule>;

/** A kind of record with rules. */
export type RecordKind = keyof typeof recordRules;

/**
 * A record that the service acknowledged. It must exist, its amounts must never decrease, its parts must add up, and
 * its end must be final.
 */
export interface RecordFact extends Fact {
  readonly id: string;
  /** Returns the last read record; null before the first reading. */
  latest(): JsonObject | null;
  /** Requires this final state from now on, because a client was told it. */
  acknowledgeEnd(state: string): void;
}

/** Creates the fact that a record exists. The id of a message includes its session: `<session>/queue/<message>`. */
export function createRecordFact(kind: RecordKind, id: string): RecordFact {
  const rule: RecordRule = recordRules[kind];
  const name = `${kind} ${id}`;
  let latest: JsonObject | null = null;
  let promised: string | null = null;
  return {
    kind,
    id,
    name,
    latest: () => latest,
    acknowledgeEnd(state) {
      promised = state;
    },
    hasEnded: () => rule.ends.includes(textOf(latest?.['status'])),
    async check(call) {
      const { status, json } = await call('GET', rule.path(id));
      if (status !== 200 || !isJsonObject(json)) return [`${name} was answered ${status}`];
      const faults = [...judgeNow(rule, json), ...(latest === null ? [] : judgeChange(rule, latest, json))];
      if (promised !== null && json['status'] !== promised)
        faults.push(`is ${textOf(json['status'])}, acknowledged was ${promised}`);
      latest = json;
      return faults.map((fault) => `${name}: ${fault}`);
    },
  };
}

function judgeNow({ ends, others, sum }: RecordRule, now: JsonObject): string[] {
  const state = textOf(now['status']);
  const faults = [...ends, ...others].includes(state) ? [] : [`has the state ${state}`];
  if (sum === undefined) return faults;
  const parts = sum.parts.reduce((total, part) => total + getMicros(now[part]), 0);
  if (parts !== getMicros(now[sum.whole]))
    faults.push(`its parts are ${parts} micro-dollars, its sum is ${getMicros(now[sum.whole])}`);
  return faults;
}

function judgeChange({ ends, grows, settled }: RecordRule, before: JsonObject, now: JsonObject): string[] {
  const less = grows.filter((member) => Number(now[member]) < Number(before[member]));
  const changed = ends.includes(textOf(before['status']))
    ? settled.filter((member) => shown(now[member]) !== shown(before[member]))
    : [];
  return [
    ...less.map((member) => `${member} fell from ${shown(before[member])} to ${shown(now[member])}`),
    ...changed.map(
      (member) => `${member} changed after its end from ${shown(before[member])} to ${shown(now[member])}`,
    ),
  ];
}

function getMicros(amount: unknown): number {
  return Math.round(Number(amount) * 1_000_000);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);
}

/** Checks a fact against the service. Returns the violations, or null if the service does not respond. */
export async function checked(fact: Fact, call: CallService): Promise<string[] | null> {
  try {
    return await fact.check(call);
  } catch (error) {
    if (error instanceof TypeError || (error instanceof Error && 'code' in error)) return null;
    throw error;
  }
}

/** A statement that the service has acknowledged and that must stay true. */
export interface Fact {
  /** Kind, such as `v4 run`. */
  readonly kind: string;
  /** Kind and id for people. */
  readonly name: string;
  /** Reads the record; returns violations as sentences. What was read becomes part of the fact. */
  check(call: CallService): Promise<string[]>;
  /** Returns whether the record had ended when last read; true for records without an end. */
  hasEnded(): boolean;
}
