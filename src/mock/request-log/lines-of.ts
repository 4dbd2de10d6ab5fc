import { requirements } from '#generated/requirements.ts';
import { contractLines, service } from '#generated/rules.ts';
import { isJsonObject } from '#lib/json.ts';
import type { LogLine } from '#contract/log-messages.ts';
import type { LogExchange } from './exchange.ts';
import type { LogRoute } from './log-routes.ts';
import type { FoundRefusal } from './refusals-in.ts';

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
export function linesKept({ body }: LogExchange, route: LogRoute): LogLine[] {
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
export function linesBroken(
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
