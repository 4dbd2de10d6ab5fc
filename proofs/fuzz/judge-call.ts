import { answerSchemas } from '../../conformance/core/answer-schemas.ts';
import { isJsonObject, parseJson } from '../../conformance/core/json.ts';
import { operationRow } from '../../conformance/core/operations.ts';
import type { CallRequest } from './fuzzed-request.ts';
import type { CallAnswer } from './send-call.ts';

/** Returns everything wrong with the response to a resolved call as sentences; empty for a valid response. */
export function judgeCall(request: CallRequest, answer: CallAnswer): string[] {
  if (answer.status === 0) return [`no answer: ${answer.fault ?? 'unknown fault'}`];
  return [
    ...judgeStatus(answer),
    ...judgeHead(request, answer),
    ...judgeRights(request, answer),
    ...judgeBody(request, answer),
  ];
}

function judgeStatus({ status, body }: CallAnswer): string[] {
  // No 5xx is legitimate: only a host with too many waiting starts reports overload, and this host is simulated.
  if (status >= 500) return [`answered ${status}: ${body.slice(0, 300)}`];
  const leak = /node_modules|SQLITE_|\.ts:\d+/.exec(body);
  return leak === null
    ? []
    : [`an answer of ${status} shows the inside: ${body.slice(Math.max(0, leak.index - 50), leak.index + 100)}`];
}

/** Checks the request id header: the caller's own if it was valid. */
function judgeHead({ headers: sent }: CallRequest, { status, headers }: CallAnswer): string[] {
  const id = headers.get('x-request-id');
  if (id === undefined) return [`an answer of ${status} has no request id`];
  const given = sent.filter(([name]) => name === 'x-request-id').map(([, value]) => value);
  const isKept = given.length !== 1 || given[0] !== 'abc-123' || id === 'abc-123';
  return isKept ? [] : [`the request id abc-123 became ${id}`];
}

function judgeRights({ hasKey, path }: CallRequest, { status }: CallAnswer): string[] {
  const isOpen = !path.startsWith('/api/v');
  return hasKey || isOpen || status >= 400 ? [] : [`answered ${status} without a good key`];
}

function judgeBody({ operation: key, method, body }: CallRequest, answer: CallAnswer): string[] {
  const { status, json, body: text } = answer;
  if (key === null) {
    const isOurs =
      method === 'HEAD' || status < 400 || status === 416 || isJsonObject(json) || text.startsWith('<!doctype');
    return isOurs ? [] : [`a refusal with ${status} is no JSON object: ${text.slice(0, 100)}`];
  }
  const operation = operationRow(key);
  const { statuses } = operation;
  if (!statuses.includes(status)) return [`${key} answered ${status}, which its document does not list`];
  const problems = answerSchemas
    .answerProblems(operation, { status, json, body: text })
    .map((problem) => `${key} answered ${status}: ${problem}`);
  const wrong = status < 300 && body !== null ? wrongBody(key, body) : [];
  return [...problems, ...wrong];
}

/** Returns a violation for an accepted body that its document rejects. */
function wrongBody(key: NonNullable<CallRequest['operation']>, bytes: string): string[] {
  const operation = operationRow(key);
  if (answerSchemas.schemaOf(operation, 'request') === undefined || bytes === '') return [];
  // Like other JSON parsers, the service ignores a byte order mark.
  const body = parseJson(new TextDecoder().decode(Buffer.from(bytes, 'latin1')));
  if (body === undefined) return [`${key} took a body that is no JSON`];
  return answerSchemas
    .requestProblems(key, body)
    .map((problem) => `${key} took a body that its document refuses: ${problem}`);
}
