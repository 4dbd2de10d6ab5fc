import { type Check, type CheckContext, law } from '../../core/check.ts';
import { type Exchange, describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import { memberAt, toText } from '../../core/json.ts';
import { type OperationKey, operationRow } from '../../core/operations.ts';
import { requestJson } from '../../core/request-json.ts';
import type { Target, TargetStates } from '../../core/target.ts';
import { isEquivalent } from '../../properties/laws/likeness.ts';
import { type RecordRule, recordRules } from '../../properties/laws/records.ts';
import {
  type History,
  type Observation,
  type TrackedRecord,
  firstBefore,
  getHistory,
  isAfter,
} from '../../properties/laws/observations.ts';
import { createdId, createdRecordRule } from '../../properties/laws/writes.ts';
import { show } from '../../core/text.ts';
import { withOwnKey } from './created-records.ts';

/** Checks of ended, repeatedly stopped and deleted resources, and of the ids of new resources. */
export const recordEndChecks: readonly Check[] = [
  law('VALUE-ENDS', (t) => {
    const { resources } = getHistory(t);
    t.cellTotal(recordRules.filter(({ states }) => states !== undefined).length, 'no end of the others was seen');
    for (const resource of resources) ends(t, resource);
  }),
  law('VALUE-FINAL', (t) => {
    const { resources } = getHistory(t);
    t.cellTotal(recordRules.flatMap(({ final }) => final).length, 'the others were not seen after an end');
    for (const resource of resources) keepsOutcome(t, resource);
  }),
  law('VALUE-STOPS', (t) => {
    const history = getHistory(t);
    t.cellTotal(recordRules.flatMap(({ stoppedBy }) => stoppedBy).length, 'nothing was stopped again by the others');
    for (const resource of history.resources) stopsAgain(t, resource, history);
  }),
  law('VALUE-GONE', (t) => {
    const history = getHistory(t);
    t.cellTotal(recordRules.filter(({ removedBy }) => removedBy.length > 0).length, 'none of the others was removed');
    for (const resource of history.resources) gone(t, resource, history);
  }),
  law('VALUE-UNIQUE', (t) => unique(t)),
];

/**
 * Returns the end states of the records of a rule. For V2 tasks and V4 runs, the states in the target file take
 * precedence over the states of the rule.
 */
function endWords({ record, states }: RecordRule, target: Target): readonly (string | boolean)[] {
  const named = readTargetStates(record, target);
  return named === undefined ? (states?.ends ?? []) : [...named.completed, ...named.ended];
}

function readTargetStates(record: RecordRule['record'], { v2, v4 }: Target): TargetStates | undefined {
  if (record === 'v2.task') return v2?.states;
  return record === 'v4.run' ? v4?.states : undefined;
}

/** Returns the observations of a resource that show its end, in order. */
function endObservations(t: CheckContext, { rule, observations }: TrackedRecord): Observation[] {
  const { states } = rule;
  if (states === undefined) return [];
  const words = endWords(rule, t.target);
  return observations.filter(({ record }) => words.some((word) => word === record[states.member]));
}

function ends(t: CheckContext, resource: TrackedRecord): void {
  const { rule, observations } = resource;
  const over = endObservations(t, resource);
  const member = rule.states?.member ?? '';
  const endBefore = firstBefore(over, (end) => end);
  for (const observation of observations) {
    const before = endBefore(observation);
    const found = observation.record[member];
    if (before === undefined || found === undefined) continue;
    const message = (): string =>
      `a ${rule.record} that was ${show(before.record[member])} is ${show(found)} in ${observation.operation}; expected nothing to follow an end`;
    t.expect(found === before.record[member], { cell: rule.record, exchange: observation.exchange, message });
  }
}

function keepsOutcome(t: CheckContext, resource: TrackedRecord): void {
  const { rule, observations } = resource;
  const over = endObservations(t, resource);
  for (const { member, as } of rule.final) {
    const cell = `${rule.record} ${member}`;
    const known = over.filter(({ record }) => record[member] !== undefined && record[member] !== null);
    const endBefore = firstBefore(known, (end) => end);
    for (const observation of observations) {
      const before = endBefore(observation)?.record[member];
      const found = observation.record[member];
      if (before === undefined || found === undefined) continue;
      const message = (): string =>
        `${cell} was ${show(before)} at the end and is ${show(found)} in ${observation.operation}; expected it to stay`;
      t.expect(isEquivalent(as, before, found), { cell, exchange: observation.exchange, message });
    }
  }
}

/**
 * Judges the answers to repeated stops. The contract leaves open whether a second stop succeeds or is refused; a server
 * error is a violation.
 */
function stopsAgain(t: CheckContext, resource: TrackedRecord, { callsOn }: History): void {
  const over = endObservations(t, resource);
  for (const { operation, exchange } of callsOn(resource.id)) {
    if (!resource.rule.stoppedBy.includes(operation)) continue;
    const isRepeat = stops(exchange) && over.some((end) => isAfter({ from: exchange.atMs }, end));
    if (!isRepeat || !withOwnKey(t, exchange) || wentWithItsSession(resource, exchange, callsOn)) continue;
    const always = operation === 'v4.cancelRun';
    const want = always ? 'a success' : 'a success or a documented refusal';
    const message = (): string =>
      `stopping a ${resource.rule.record} that has ended with ${operation} ${describeAnswer(exchange)}; expected ${want}`;
    const repeats = succeeded(exchange) || (!always && isDocumentedRefusal(operation, exchange));
    t.expect(repeats, { cell: operation, exchange, message });
  }
}

/**
 * Returns true if the session of a run was deleted before or during the stop of the run. The run then no longer exists.
 */
function wentWithItsSession(
  { rule, observations }: TrackedRecord,
  exchange: Exchange,
  callsOn: History['callsOn'],
): boolean {
  if (rule.record !== 'v4.run') return false;
  const sessions = new Set(observations.map(({ record }) => toText(record['sessionId'])));
  return [...sessions]
    .flatMap((id) => callsOn(id))
    .some(
      ({ operation, exchange: deletion }) =>
        operation === 'v4.deleteSession' && deletion.atMs < exchange.atMs + exchange.durationMs,
    );
}

/**
 * Returns true if a request stops a resource: it has no action, or an action that begins with `stop`. A PATCH can have
 * another action.
 */
function stops(exchange: Exchange): boolean {
  const action = memberAt(requestJson(exchange), 'action');
  return action === undefined || toText(action).startsWith('stop');
}

function isDocumentedRefusal(operation: OperationKey, exchange: Exchange): boolean {
  return refused(exchange) && (exchange.status === 409 || operationRow(operation).statuses.includes(exchange.status));
}

function gone(t: CheckContext, { rule, id, observations }: TrackedRecord, { callsOn }: History): void {
  const removal = callsOn(id).find(
    ({ operation, exchange }) => rule.removedBy.includes(operation) && succeeded(exchange) && withOwnKey(t, exchange),
  );
  if (removal === undefined) return;
  const { exchange: taken } = removal;
  const back = observations.find(
    (observation) =>
      isAfter(observation, { to: taken.atMs + taken.durationMs }) && observation.record['archived'] !== true,
  );
  const message = (): string =>
    `${back?.operation ?? ''} shows a ${rule.record} that ${removal.operation} has removed; expected it nowhere`;
  t.expect(back === undefined, { cell: rule.record, exchange: back?.exchange ?? taken, message });
}

/**
 * Judges that creations answer with distinct ids. A response to a follow-up, or to a text that already waits, may
 * repeat an id and is no creation.
 */
function unique(t: CheckContext): void {
  const { calls } = getHistory(t);
  const seen = new Map<string, OperationKey>();
  for (const { operation, exchange } of calls) {
    const rule = createdRecordRule({ operation, exchange });
    const id = rule === undefined ? undefined : createdId(rule, exchange);
    if (rule === undefined || id === undefined) continue;
    const message = (): string =>
      `${operation} answers with the id ${id}, which ${seen.get(id) ?? ''} has given to something else; expected an id of its own`;
    t.expect(!seen.has(id), { cell: operation, exchange, message });
    seen.set(id, operation);
  }
}
