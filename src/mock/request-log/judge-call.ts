import type { LogLine, LogVerdict } from '#contract/log-messages.ts';
import { match } from '#contract/match.ts';
import { isProblem } from '#contract/problems.ts';
import { requirements } from '#generated/requirements.ts';
import { contractLines, errors, service } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { LogExchange } from './create-call-log.ts';
import type { LogRoute } from './log-routes.ts';

/** Verdict on a call, with its details. */
interface JudgedCall {
  /** API version and operation id, such as `v4 createRun`; null for an unknown operation. */
  readonly operation: string | null;
  readonly verdict: LogVerdict;
  readonly problems: readonly string[];
  readonly differences: readonly string[];
  readonly lines: readonly LogLine[];
}

/**
 * Judges a logged call. Explains a refusal, compares the response with its document, and lists rules of the contract
 * that the call kept or violated.
 */
export function judgeCall(exchange: LogExchange, routes: readonly LogRoute[]): JudgedCall {
  const { method, path, status } = exchange;
  const found = match(routes, { method: method === 'HEAD' ? 'GET' : method, path });
  const route = isProblem(found) ? null : found.route;
  const refusals = status < 400 ? [] : refusalsIn(exchange.answer);
  const differences = route === null ? [] : findDifferences(exchange, route);
  const lines = status < 400 ? linesKept(exchange, route) : linesBroken(exchange, route, refusals);
  return {
    operation: route === null ? null : `${route.version} ${route.id}`,
    verdict: decideVerdict(status, lines, differences),
    problems: refusals.map(({ place, text }) => (place.length === 0 ? text : `${place.join('.')}: ${text}`)),
    differences,
    lines: [...lines, ...refusalLines(refusals)],
  };
}

function decideVerdict(status: number, lines: readonly LogLine[], differences: readonly string[]): LogVerdict {
  if (status >= 500 || differences.length > 0) return 'fault';
  if (status < 400) return 'kept';
  return lines.length > 0 ? 'broken' : 'refused';
}

/**
 * Returns a log line for each error code among the faults, with the source of its rule. Faults without a code have no
 * line.
 */
function refusalLines(refusals: readonly FoundRefusal[]): LogLine[] {
  const coded = new Map(refusals.flatMap((one) => (one.code === null ? [] : [[one.code, one] as const])));
  return [...coded].map(([id, { text, source }]) => ({ id, level: null, text, quote: null, source, kept: false }));
}

const shownMax = 10;

/**
 * Returns at most 10 differences between a response and the OpenAPI document. A response with an undocumented status of
 * 500 or above has none.
 */
function findDifferences({ method, status, answer }: LogExchange, route: LogRoute): readonly string[] {
  const responses = route.responses();
  if (!responses.statuses.has(status))
    return status >= 500 ? [] : [`The document shows no answer ${status} to ${route.version} ${route.id}`];
  const validate = responses.of(status);
  if (validate === undefined) return answer === undefined ? [] : [`The document shows no body for ${status}`];
  if (method === 'HEAD' || validate(answer)) return [];
  const found = (validate.errors ?? []).map(
    ({ instancePath, message = '' }) => `${instancePath || 'the body'} ${message}`,
  );
  return [...new Set(found)].slice(0, shownMax);
}

type RefusalRow = {
  readonly requirement: string;
  readonly code?: string;
  readonly status?: number;
  readonly generation?: string;
  readonly operation?: string;
  readonly at?: string;
  readonly key?: string;
};

type CallRow = {
  readonly requirement: string;
  readonly generation?: string;
  readonly operation?: string;
  readonly member?: string;
  readonly without?: string;
  readonly kept?: boolean;
};

const refusalRows: readonly RefusalRow[] = contractLines.refusals;
const callRows: readonly CallRow[] = contractLines.calls;
const keyHeader = service.authentication.name.toLowerCase();

/**
 * Returns the rules of the contract that an accepted call kept, and the SHOULD rules that it did not follow. If only
 * general rules apply, the first line refers to the document of the operation instead.
 */
function linesKept({ body }: LogExchange, route: LogRoute | null): LogLine[] {
  if (route === null) return [];
  const members = isJsonObject(body) ? body : {};
  const has = (name: string): boolean => members[name] !== undefined && members[name] !== null;
  const rows = callRows.filter(
    (row) =>
      (row.operation ?? route.id) === route.id &&
      (row.generation ?? route.version) === route.version &&
      (row.member === undefined || has(row.member)) &&
      (row.without === undefined || !has(row.without)),
  );
  const particular = rows.filter((row) => !isGeneral(row));
  const lines = [...particular, ...rows.filter(isGeneral)].map((row) => createLine(row.requirement, row.kept ?? true));
  // Without a rule of the contract, the document of the operation is the line.
  return particular.length > 0 ? lines : [documented(route), ...lines];
}

function isGeneral({ operation }: CallRow): boolean {
  return operation === undefined;
}

function documented({ id, version, summary, source }: LogRoute): LogLine {
  return { id: `${version} ${id}`, level: null, text: `${summary}.`, quote: null, source, kept: true };
}

/**
 * Returns the rules of the contract that the client violated with a refused call, each once. Empty if the client did
 * not cause the refusal.
 */
function linesBroken(
  { status, headers }: LogExchange,
  route: LogRoute | null,
  refusals: readonly FoundRefusal[],
): LogLine[] {
  const key = headers[keyHeader] === undefined ? 'none' : 'given';
  const found = refusals.flatMap((refusal) => {
    const row = refusalRows.find((one) => fits(one, { status, route, key, refusal }));
    return row === undefined ? [] : [row.requirement];
  });
  return [...new Set(found)].map((id) => createLine(id, false));
}

interface Refused {
  readonly status: number;
  readonly route: LogRoute | null;
  readonly key: string;
  readonly refusal: FoundRefusal;
}

function fits(row: RefusalRow, { status, route, key, refusal }: Refused): boolean {
  return [
    row.code === undefined || row.code === refusal.code,
    row.status === undefined || row.status === status,
    row.generation === undefined || row.generation === route?.version,
    row.operation === undefined || row.operation === route?.id,
    row.at === undefined || refusal.place.includes(row.at),
    row.key === undefined || row.key === key,
  ].every(Boolean);
}

function createLine(id: string, kept: boolean): LogLine {
  const row = requirements.find((one) => one.id === id);
  if (row === undefined) throw new Error(`contract-lines: found ${id}, expected the id of a requirement`);
  const quote = 'quote' in row ? row.quote : null;
  return { id, level: row.level, text: row.text, quote, source: row.source, kept };
}

/** One fault that the body of a refusal reports. */
interface FoundRefusal {
  readonly text: string;
  /**
   * Location of the fault in the request, outermost part first, such as `body`, `thinkingLevel`. Empty if the refusal
   * names none.
   */
  readonly place: readonly string[];
  /** Error code in spec/rules/errors.yaml; null if no message of that table matches. */
  readonly code: string | null;
  /** Source of the violated rule, such as a section of the contract. */
  readonly source: string;
}

const ofSchemas = 'contract 2 Validation error body';

/** Returns the faults that the body of a refusal reports. Returns an empty list for a body of another form. */
function refusalsIn(answer: unknown): readonly FoundRefusal[] {
  const detail = isJsonObject(answer) ? answer['detail'] : undefined;
  if (typeof detail === 'string') return [{ text: detail, place: [], ...findRow(detail) }];
  return Array.isArray(detail) ? detail.filter(isJsonObject).map(readRefusal) : [];
}

function readRefusal({ msg, loc }: JsonObject): FoundRefusal {
  const text = typeof msg === 'string' ? msg : '';
  return { text, place: Array.isArray(loc) ? loc.map(toWord) : [], ...findRow(text) };
}

function toWord(part: JsonValue): string {
  return typeof part === 'string' ? part : JSON.stringify(part);
}

function findRow(text: string): Pick<FoundRefusal, 'code' | 'source'> {
  const row = templates.find(({ parts }) => isMessage(text, parts));
  return row === undefined ? { code: null, source: ofSchemas } : { code: row.code, source: row.source };
}

/**
 * Message templates of errors. A template that consists of placeholders alone is omitted, because it would match every
 * text.
 */
const templates = errors.problems
  .filter(({ message }) => message.replaceAll(/\{\w+\}/g, '').trim() !== '')
  .map(({ code, message, source }) => ({ code, source, parts: message.split(/\{\w+\}/) }));

/**
 * Returns whether a text matches a message template. `parts` are the texts between the placeholders of the template. A
 * placeholder matches any text.
 */
function isMessage(text: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
