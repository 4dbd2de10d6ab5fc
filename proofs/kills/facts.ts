import { type JsonObject, isJsonObject, toText } from '#conformance/core/json.ts';
import type { CallService } from '../service/call-service.ts';
import { createHash } from 'node:crypto';

/** Rules for records of one kind. */
interface RecordRule {
  readonly path: (id: string) => string;
  /** Final states of the record. */
  readonly ends: readonly string[];
  readonly others: readonly string[];
  /** Members with amounts that never decrease. */
  readonly grows: readonly string[];
  /** The amounts of the members `parts` must add up to the amount of the member `whole`. */
  readonly sum?: { readonly parts: readonly string[]; readonly whole: string };
  /** Members that do not change after the record has ended. */
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
 * A record that the service acknowledged. The record must exist, its amounts must never decrease, its partial amounts
 * must add up to its total, and its end must be final.
 */
export interface RecordFact extends Fact {
  readonly id: string;
  /** Returns the last read record; null before the first reading. */
  latest(): JsonObject | null;
  /**
   * Requires from now on that the record is in this final state, because the service has acknowledged the end to a
   * client.
   */
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
    hasEnded: () => rule.ends.includes(toText(latest?.['status'])),
    async check(call) {
      const { status, json } = await call('GET', rule.path(id));
      if (status !== 200 || !isJsonObject(json)) return [`${name} was answered ${status}`];
      const faults = [...judgeNow(rule, json), ...(latest === null ? [] : judgeChange(rule, latest, json))];
      if (promised !== null && json['status'] !== promised)
        faults.push(`is ${toText(json['status'])}, acknowledged was ${promised}`);
      latest = json;
      return faults.map((fault) => `${name}: ${fault}`);
    },
  };
}

function judgeNow({ ends, others, sum }: RecordRule, now: JsonObject): string[] {
  const state = toText(now['status']);
  const faults = [...ends, ...others].includes(state) ? [] : [`has the state ${state}`];
  if (sum === undefined) return faults;
  const parts = sum.parts.reduce((total, part) => total + getMicros(now[part]), 0);
  if (parts !== getMicros(now[sum.whole]))
    faults.push(`its parts are ${parts} micro-dollars, its sum is ${getMicros(now[sum.whole])}`);
  return faults;
}

function judgeChange({ ends, grows, settled }: RecordRule, before: JsonObject, now: JsonObject): string[] {
  const less = grows.filter((member) => Number(now[member]) < Number(before[member]));
  const changed = ends.includes(toText(before['status']))
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

/**
 * Checks a fact against the service. Returns the violations, or null after a network error. Rejects with any other
 * error.
 */
export async function checkFact(fact: Fact, call: CallService): Promise<string[] | null> {
  try {
    return await fact.check(call);
  } catch (error) {
    if (error instanceof TypeError || (error instanceof Error && 'code' in error)) return null;
    throw error;
  }
}

/** A statement that the service has acknowledged and that must stay true. */
export interface Fact {
  /** Kind of the record, such as `v4 run`. */
  readonly kind: string;
  /** Kind and id of the record, as messages show them. */
  readonly name: string;
  /**
   * Reads the record and returns violations as sentences. Later checks may compare the record with the values of this
   * check.
   */
  check(call: CallService): Promise<string[]>;
  /** Returns whether the record had ended when it was last read; true for a kind of record that has no end. */
  hasEnded(): boolean;
}

/** A record in which a member must have one of several values. */
export interface ValueFact extends Fact {
  readonly id: string;
  /**
   * Records a requested value. The record may have this value until `answer` reports the response. A request without a
   * response leaves the value possible for good, because a killed process may have passed the request on.
   */
  ask(value: string): void;
  /** Records the response to a request: an accepted value is required, a refused value is forbidden. */
  answer(value: string, isTaken: boolean): void;
}

/**
 * Creates the fact that the member `name` of a record has the latest accepted value, or a value whose request has no
 * response.
 */
export function createValueFact({
  kind,
  path,
  id,
  value,
}: Record<'kind' | 'path' | 'id' | 'value', string>): ValueFact {
  const name = `${kind} ${id}`;
  /** Values that the service has accepted, in order. */
  const taken = [value];
  const unanswered = new Set<string>();
  return {
    kind,
    id,
    name,
    hasEnded: () => true,
    ask: (wanted) => void unanswered.add(wanted),
    answer(wanted, isTaken) {
      unanswered.delete(wanted);
      if (isTaken) taken.push(wanted);
    },
    async check(call) {
      // The client continues meanwhile, so the response may reflect any moment since the request.
      const [since, open] = [taken.length - 1, [...unanswered]];
      const { status, json } = await call('GET', `${path}/${id}`);
      if (status !== 200 || !isJsonObject(json)) return [`${name} was answered ${status}`];
      const found = toText(json['name']);
      const expected = [...taken.slice(since), ...open, ...unanswered];
      if (expected.includes(found)) return [];
      return [`${name}: found the name ${found}, acknowledged was ${expected.join(' or ')}`];
    },
  };
}

/** Creates the fact that a workspace returns the bytes of an uploaded file unchanged. */
export function createFileFact(workspace: string, path: string, bytes: Buffer): Fact {
  const name = `file ${path} in workspace ${workspace}`;
  return {
    kind: 'file',
    name,
    hasEnded: () => true,
    async check(call) {
      for (let again = false; ; again = true) {
        const found = await look(call);
        // The clock of the service may have been advanced beyond the expiry of the URL.
        if (found.status !== 403 || again) return found.faults;
      }
    },
  };

  async function look(call: CallService): Promise<{ readonly status: number; readonly faults: string[] }> {
    const { status, json } = await call(
      'GET',
      `v4/workspaces/${workspace}/files?includeUrls=true&prefix=${encodeURIComponent(path)}`,
    );
    const files = isJsonObject(json) && Array.isArray(json['files']) ? json['files'].filter(isJsonObject) : [];
    const url = toText(files.find((file) => file['path'] === path)?.['url']);
    if (url === '') return { status, faults: [`${name} is not listed (${status})`] };
    const answer = await fetch(url);
    // The balancer reached no process, so this is no response of the service.
    if (answer.status === 502) throw new TypeError('no process answered behind the balancer');
    const found = Buffer.from(await answer.arrayBuffer());
    const differs = `${name}: ${answer.status} with ${found.length} bytes ${sha256(found)}, sent were ${bytes.length} ${sha256(bytes)}`;
    return { status: answer.status, faults: found.equals(bytes) ? [] : [differs] };
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/**
 * Creates the fact that the ids of a run's events increase. Events that were read once must be returned again at the
 * same positions.
 */
export function createEventsFact(runId: string): Fact {
  const name = `events of run ${runId}`;
  let told: string[] = [];
  return {
    kind: 'events',
    name,
    hasEnded: () => true,
    async check(call) {
      const events = await getEvents(call, runId);
      if (events === null) return [`${name} could not be read`];
      const ids = events.map(({ id }) => Number(id));
      const now = events.map((event) => JSON.stringify({ id: event['id'], type: event['type'], ts: event['ts'] }));
      const before = told;
      told = now;
      return [
        ...(ids.every((id, at) => at === 0 || id > Number(ids[at - 1]))
          ? []
          : [`${name} are not in order: ${ids.join(' ')}`]),
        ...before.filter((event, at) => now[at] !== event).map((event) => `${name}: lost or moved ${event}`),
      ];
    },
  };
}

/** Returns all events of a run; null when a page could not be read. */
async function getEvents(call: CallService, runId: string): Promise<JsonObject[] | null> {
  const all: JsonObject[] = [];
  for (let after = 0, more = true; more; ) {
    const { status, json } = await call('GET', `v4/runs/${runId}/events?limit=100&after=${after}`);
    if (status !== 200 || !isJsonObject(json) || !Array.isArray(json['events'])) return null;
    const page = json['events'].filter(isJsonObject);
    all.push(...page);
    after = Number(page.at(-1)?.['id'] ?? after);
    more = json['hasMore'] === true && page.length > 0;
  }
  return all;
}

/** Creates the fact that the messages of a V3 session contain a task exactly once. */
export function createGoalFact(sessionId: string, goal: string): Fact {
  const name = `goal "${goal}" of v3 session ${sessionId}`;
  return {
    kind: 'v3 follow-up',
    name,
    hasEnded: () => true,
    async check(call) {
      const { status, json } = await call('GET', `v3/sessions/${sessionId}/messages?limit=100`);
      const messages =
        isJsonObject(json) && Array.isArray(json['messages']) ? json['messages'].filter(isJsonObject) : [];
      const times = messages.filter((message) => message['role'] === 'human' && message['data'] === goal).length;
      return times === 1 ? [] : [`${name} is told ${times} times (${status})`];
    },
  };
}
