/** Judges whether the operations of the contract work at all, from all their responses in a run. */
import type { CheckContext } from '../core/check.ts';
import {
  describeAnswer,
  type Exchange,
  keyOf,
  succeeded,
  isCapacity,
  isNotServed,
  isServerError,
} from '../core/exchange.ts';
import { type JsonValue, isJsonObject, memberAt } from '../core/json.ts';
import { type OperationKey, findOperation, operationRow } from '../core/operations.ts';
import type { AnyScenario } from '../core/scenario.ts';
import { keyPlaceholders } from '../transport/redact.ts';

/**
 * Number of failures, without a success, after which an operation counts as broken rather than as affected by the
 * network.
 */
const failuresMin = 2;

/**
 * Minimum number of server errors that faults of the network do not explain; `readErrorsShare` is their minimum share
 * of the responses.
 */
const readErrorsMin = 3;
const readErrorsShare = 0.1;

/**
 * Judges an operation of the contract by all its responses in the run. A request fails with a server error, or with 404
 * for a created resource. The operation fails if at least `failuresMin` requests failed and none succeeded. It also
 * fails if server errors reach `readErrorsMin` and `readErrorsShare` of the responses about created resources. Other
 * checks cannot report such a failure, because a failed request only makes them not testable. Ends the check as blocked
 * when no request succeeded and valid requests were refused for an unrelated reason, such as an exhausted budget,
 * unless more requests show that the operation is not served.
 */
export function expectWorks(t: CheckContext, key: OperationKey): void {
  const sent = answersWithKey(t, key);
  const created = t.ledger.entries().flatMap(({ id }) => (id === undefined ? [] : [id]));
  const ofCreated = sent.filter(({ request }) => created.some((id) => request.url.includes(id)));
  const failed = sent.filter((one) => one.status >= 500 || (one.status === 404 && ofCreated.includes(one)));
  // A refusal of an unknown id says nothing of the operation.
  const valid = operationRow(key).path.includes('{') ? ofCreated : sent;
  const refused = valid.filter(({ status }) => isCapacity(status));
  const works = sent.some((one) => succeeded(one));
  if (!works && failed.length >= failuresMin) {
    const [exchange] = failed;
    const message = `${key} ${described(failed)}, and ${failed.length} of ${sent.length} requests failed so and none succeeded`;
    t.expect(false, { exchange, message });
  } else if (!works && refused.length > valid.filter((one) => isAbsent(one)).length) {
    t.blocked(`${key} ${described(refused)}; requests refused so: ${refused.length}, accepted: 0`);
  }
  const errors = ofCreated.filter(({ status }) => isServerError(status));
  if (works && errors.length >= readErrorsMin && errors.length >= ofCreated.length * readErrorsShare) {
    const [exchange] = errors;
    const message = `${key} ${described(errors)}, and ${errors.length} of ${ofCreated.length} requests for what was created failed so; expected success`;
    t.expect(false, { exchange, message });
  }
}

/** Returns true for an answer that the operation is not served. A body that names an id may be refused for the id. */
function isAbsent({ status, request }: Exchange): boolean {
  return isNotServed(status) && !/Ids?"\s*:/.test(request.body ?? '');
}

/**
 * Judges that no request body failed with a server error each time it was sent, if it was sent at least twice. Such a
 * failure depends on the members of the body. The status 501 (not implemented) is no failure.
 */
export function expectNoFailingBody(t: CheckContext, key: OperationKey): void {
  const sent = answersWithKey(t, key).filter(({ request }) => request.body !== undefined);
  for (const [body, answers] of Map.groupBy(sent, ({ request }) => request.body)) {
    const isFailing = answers.every(({ status }) => isServerError(status) && status !== 501);
    const [exchange] = answers;
    const message = `${key} with ${body} ${described(answers)} each of ${answers.length} times; expected that it is accepted or refused`;
    t.expect(!isFailing || answers.length < failuresMin, { exchange, message });
  }
}

/**
 * Runs scenarios so that {@link expectWorks} and {@link expectIdentified} can judge their requests. If a scenario ends
 * early, ignores its error; its requests count as well.
 */
export async function runScenarios(t: CheckContext, ...scenarios: readonly AnyScenario[]): Promise<void> {
  await Promise.allSettled(scenarios.map((scenario) => t.recording(scenario)));
}

/**
 * Returns the responses to an operation that were requested with the run's key or with the key of the other project.
 */
function answersWithKey(t: CheckContext, key: OperationKey): Exchange[] {
  const { keyHeader } = t.target;
  const keys: readonly (string | undefined)[] = Object.values(keyPlaceholders);
  return t.recorder
    .all()
    .filter((one) => findOperation(t.target, one)?.key === key && keys.includes(keyOf(one, keyHeader)));
}

function described([exchange]: readonly Exchange[]): string {
  return exchange === undefined ? '' : describeAnswer(exchange);
}

/**
 * Judges that at least one response to an accepted creation contains the id of the new resource. Without the id, a
 * client can neither poll nor stop the resource. The contract does not define the location of the id. Ends the check as
 * blocked when an id exists, but not at `idIn` of the target file, or only in the header `Location`.
 */
export function expectIdentified(t: CheckContext, key: OperationKey, { idIn, member }: IdPlace): void {
  const accepted = answersWithKey(t, key).filter((one) => succeeded(one));
  const [exchange] = accepted;
  if (exchange === undefined || accepted.some(({ json }) => isIdentifier(memberAt(json, idIn)))) return;
  const place = accepted.flatMap(({ json }) => findIdentifier(json) ?? []).at(0);
  if (place !== undefined)
    t.blocked(`${key} carries an id at "${place}", not at "${idIn}" (${member} of the target file)`);
  if (accepted.some(({ headers }) => headers['location'] !== undefined))
    t.blocked(`${key} carries its id only in the header Location, which this suite does not follow`);
  const message = `${key} ${describeAnswer(exchange)} to ${accepted.length} accepted requests without an id; expected one, so that clients can follow what they have created`;
  t.expect(false, { exchange, message });
}

/** Location of the id in the response to a creation, and the member of the target file that names it. */
interface IdPlace {
  readonly idIn: string;
  readonly member: string;
}

function isIdentifier(value: JsonValue | undefined): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** Maximum depth at which a body is searched for an identifier, in levels of nested objects. */
const searchDepth = 4;

/**
 * Returns the path, such as `a.b`, of the first member whose name and value look like an identifier; undefined without
 * one.
 */
function findIdentifier(json: JsonValue | undefined, depth = searchDepth): string | undefined {
  for (const [name, value] of isJsonObject(json) ? Object.entries(json) : []) {
    if (/(?:^id|Id|_id)$/.test(name) && isIdentifier(value)) return name;
    const below = depth === 0 ? undefined : findIdentifier(value, depth - 1);
    if (below !== undefined) return `${name}.${below}`;
  }
  return undefined;
}
