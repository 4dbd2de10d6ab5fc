import { show } from '../core/text.ts';
import type { CheckContext } from '../core/check.ts';
import type { Exchange } from '../core/exchange.ts';
import { type JsonObject, type JsonValue, isJsonObject, memberAt, canonicalText } from '../core/json.ts';
import { ifTestable } from '../core/outcome.ts';
import type { AnyScenario, Scenario } from '../core/scenario.ts';
import { sessionRecord } from '../ledger/session-api.ts';
import type { Target } from '../core/target.ts';
import { deriveOnce } from '../core/derive-once.ts';
import { type Observation, oneShotSession, statelessRecord } from './observed-session.ts';

/**
 * Returns a list of one scenario that fetches a session record: `statelessRecord` for a stateless target, otherwise
 * `oneShotSession`.
 */
export function someRecord(target: Target): readonly AnyScenario[] {
  return [target.stateless ? statelessRecord : oneShotSession];
}

/**
 * Returns every session record that GET returned in the run, or in this shard. Ends the check as not testable without a
 * record.
 */
export async function recordsSeen(t: CheckContext): Promise<readonly Observation[]> {
  const driven = someRecord(t.target).filter((scenario) => t.drives(scenario));
  await Promise.all(driven.map((scenario) => t.recording(scenario)));
  const records = deriveSessionRecords(t);
  if (records.length === 0) t.notTestable('no session record was seen');
  return records;
}

/**
 * Returns the recording of a scenario. Returns undefined if the scenario is not testable on the target, or another
 * shard runs it.
 */
export async function recordingIfAny<T>(t: CheckContext, scenario: Scenario<T>): Promise<T | undefined> {
  return t.drives(scenario) ? ifTestable(() => t.recording(scenario)) : undefined;
}

const deriveSessionRecords = deriveOnce((t): readonly Observation[] =>
  t.recorder
    .all()
    .filter(({ generation, operation }) => generation === 'v3' && operation === 'getSession')
    .flatMap((exchange) => {
      const record = sessionRecord(exchange);
      return record === undefined ? [] : [{ exchange, record }];
    }),
);

/**
 * Returns the complete session records of all V3 answers of the run: of fetches, creations, follow-ups, stops and lists.
 * The contract shows only the answer to a fetch, so an object of another answer counts only if it has at least half of
 * the members of the record.
 */
export const completeRecords = deriveOnce((t): readonly Observation[] => {
  const properties = t.schemas.component('v3', 'Session')['properties'];
  const names = new Set(isJsonObject(properties) ? Object.keys(properties) : []);
  const isComplete = (one: JsonObject): boolean =>
    Object.keys(one).filter((name) => names.has(name)).length * 2 >= names.size;
  const answers = t.recorder.all().filter(({ generation, operation }) => {
    return generation === 'v3' && /^(?:create|follow|stop|list)/.test(operation);
  });
  const others = answers.flatMap((exchange) => {
    const body = sessionRecord(exchange) ?? {};
    const items = Object.values(body).filter(Array.isArray).flat().filter(isJsonObject);
    return [body, ...items].filter(isComplete).map((record) => ({ exchange, record }));
  });
  return [...deriveSessionRecords(t), ...others];
});

/** Returns the last observation of each distinct value of a member. Records without the member are ignored. */
export function distinctValues(
  records: readonly Observation[],
  member: string,
): { value: JsonValue; seen: Observation }[] {
  const distinct = new Map<string, { value: JsonValue; seen: Observation }>();
  for (const seen of records) {
    const value = seen.record[member];
    if (value !== undefined) distinct.set(canonicalText(value), { value, seen });
  }
  return [...distinct.values()];
}

/**
 * Members that a task fills, according to sections 2 (Session) and 3 (Transitions) of the contract. If a record lacks
 * such a member, no task has filled it.
 */
const filledByTasks = new Set(['title', 'stepCount', 'lastStepSummary', 'output', 'isTaskSuccessful', 'recordingUrls']);

const carriedMembers = deriveOnce(
  (t): ReadonlySet<string> => new Set(deriveSessionRecords(t).flatMap(({ record }) => Object.keys(record))),
);

/**
 * Returns the value of an optional member of a session record. If the record lacks the member, but tasks fill it or
 * another record of the run shows it, returns its default, or null without a default. Otherwise returns undefined,
 * because the target may omit the member everywhere.
 */
export function shownMember(t: CheckContext, record: JsonObject, member: string): JsonValue | undefined {
  const value = record[member];
  if (value !== undefined) return value;
  if (!filledByTasks.has(member) && !carriedMembers(t).has(member)) return undefined;
  return memberAt(t.schemas.component('v3', 'Session'), `properties.${member}.default`) ?? null;
}

/**
 * Returns the value of an optional member as {@link shownMember} does. Ends the check as not testable if that value is
 * undefined.
 */
export function carried(t: CheckContext, record: JsonObject, member: string): JsonValue {
  const value = shownMember(t, record, member);
  if (value === undefined) return t.notTestable(`the session record does not carry ${member}`);
  return value;
}

/** Returns the body of an answer for messages: JSON, any other text, or `no body`. Long bodies are shortened. */
export function showBody({ json, body }: Pick<Exchange, 'json' | 'body'>): string {
  if (json !== undefined) return show(json);
  return body === '' ? 'no body' : `a body that is not JSON, ${show(body)}`;
}
