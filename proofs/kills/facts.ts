import { type JsonObject, isJsonObject, textOf } from '#conformance/core/json.ts';
import type { CallService } from '../service/call-service.ts';

/** What holds of records of one kind. */
interface RecordRule {
  readonly path: (id: string) => string;
  /** States that nothing leads out of; none for what does not end. */
  readonly ends: readonly string[];
  readonly others: readonly string[];
  /** Amounts that never become less. */
  readonly grows: readonly string[];
  /** Parts of a sum, and the sum. */
  readonly sum?: { readonly parts: readonly string[]; readonly whole: string };
  /** What stays as it was once it has ended. */
  readonly settled: readonly string[];
}

const costs = ['llmCostUsd', 'proxyCostUsd', 'browserCostUsd', 'totalCostUsd'] as const;

/** The kinds of records that are read back, with their rules. */
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

/** A record that was acknowledged: it is there, its amounts grow, its parts add up, and an end is one for good. */
export interface RecordFact extends Fact {
  readonly id: string;
  /** As it was read last; null before. */
  latest(): JsonObject | null;
  /** From now on it has to be in this state, and never in another: somebody was told that it is. */
  acknowledgeEnd(state: string): void;
}

/** Takes note of a record. The id of a message is its session's and its own: `<session>/queue/<message>`. */
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
  const parts = sum.parts.reduce((total, part) => total + microsOf(now[part]), 0);
  if (parts !== microsOf(now[sum.whole]))
    faults.push(`its parts are ${parts} micro-dollars, its sum is ${microsOf(now[sum.whole])}`);
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

function microsOf(amount: unknown): number {
  return Math.round(Number(amount) * 1_000_000);
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200);
}

/** Reads a fact that could have no answer: null then. */
export async function checked(fact: Fact, call: CallService): Promise<string[] | null> {
  try {
    return await fact.check(call);
  } catch (error) {
    if (error instanceof TypeError || (error instanceof Error && 'code' in error)) return null;
    throw error;
  }
}

/** Something that the service has acknowledged, and that has to be so from then on. */
export interface Fact {
  /** What it is, as `v4 run`. */
  readonly kind: string;
  /** What it is about, for people: kind and id. */
  readonly name: string;
  /** Reads it back; what is wrong with it now, a sentence each. What was read once counts from then on too. */
  check(call: CallService): Promise<string[]>;
  /** Whether it has ended, as far as it was read; of what does not end always true. */
  hasEnded(): boolean;
}
