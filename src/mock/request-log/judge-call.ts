import type { LogLine, LogVerdict } from '#contract/log-messages.ts';
import { match } from '#contract/match.ts';
import { isProblem } from '#contract/problems.ts';
import { requirements } from '#generated/requirements.ts';
import { contractLines, service } from '#generated/rules.ts';
import { isJsonObject } from '#lib/json.ts';
import type { LogExchange } from './create-call-log.ts';
import type { LogRoute } from './log-routes.ts';
import { type FoundRefusal, refusalsIn } from './refusals-in.ts';

/** What there is to say of a call. */
export interface JudgedCall {
  /** Such as `v4 createRun`; null where no operation takes it. */
  readonly operation: string | null;
  readonly verdict: LogVerdict;
  readonly problems: readonly string[];
  readonly differences: readonly string[];
  readonly lines: readonly LogLine[];
}

/** Judges a call by what went over the network alone: the request by its refusal, the answer by its document, both by the contract. */
export function judgeCall(exchange: LogExchange, routes: readonly LogRoute[]): JudgedCall {
  const { method, path, status } = exchange;
  const found = match(routes, { method: method === 'HEAD' ? 'GET' : method, path });
  const route = isProblem(found) ? null : found.route;
  const refusals = status < 400 ? [] : refusalsIn(exchange.answer);
  const differences = route === null ? [] : differencesOf(exchange, route);
  const lines =
    status < 400 ? (route === null ? [] : linesKept(exchange, route)) : linesBroken(exchange, route, refusals);
  return {
    operation: route === null ? null : `${route.version} ${route.id}`,
    verdict: verdictOf(status, lines, differences),
    problems: refusals.map(({ place, text }) => (place.length === 0 ? text : `${place.join('.')}: ${text}`)),
    differences,
    lines: [...lines, ...rulesOf(refusals)],
  };
}

function verdictOf(status: number, lines: readonly LogLine[], differences: readonly string[]): LogVerdict {
  if (status >= 500 || differences.length > 0) return 'fault';
  if (status < 400) return 'kept';
  return lines.length > 0 ? 'broken' : 'refused';
}

/** The rules of the refusals themselves: what the service says then, and where that comes from. */
function rulesOf(refusals: readonly FoundRefusal[]): LogLine[] {
  const coded = new Map(refusals.flatMap((one) => (one.code === null ? [] : [[one.code, one] as const])));
  return [...coded].map(([id, { text, source }]) => ({ id, level: null, text, source, kept: false }));
}

const shownMax = 10;

/** Where an answer differs from its document; empty where it does not. An internal error is not described there. */
function differencesOf({ method, status, answer }: LogExchange, route: LogRoute): readonly string[] {
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

/** The sentences that an accepted call kept, and those of advice that it did not follow. */
function linesKept({ body }: LogExchange, route: LogRoute): LogLine[] {
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
  const lines = [...particular, ...rows.filter(isGeneral)].map((row) => lineOf(row.requirement, row.kept ?? true));
  // Where no sentence of the contract is about it, the document itself is the line.
  return particular.length > 0 ? lines : [documented(route), ...lines];
}

function isGeneral({ operation }: CallRow): boolean {
  return operation === undefined;
}

function documented({ id, version, summary, source }: LogRoute): LogLine {
  return { id: `${version} ${id}`, level: null, text: `${summary}.`, source, kept: true };
}

/** The sentences that a refused call broke, each once, as far as the refusal is the caller's fault. */
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
  return [...new Set(found)].map((id) => lineOf(id, false));
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

function lineOf(id: string, kept: boolean): LogLine {
  const row = requirements.find((one) => one.id === id);
  if (row === undefined) throw new Error(`contract-lines: found ${id}, expected the id of a requirement`);
  return { id, level: row.level, text: row.text, source: row.source, kept };
}
