import type { Exchange } from '../core/exchange.ts';
import type { Failure, Report, ReportRow, Verdict } from '../core/report.ts';
import { isFinding, verdictOrder } from './words.ts';

/** Failures with the same probable cause. */
export interface Cause {
  /** Title such as "answered 400; expected 422", or the message of the example. */
  title: string;
  /** The most severe verdict of its requirements. */
  verdict: Verdict;
  /** `full` if every requirement is beyond the contract. */
  profile: ReportRow['profile'];
  /** True if the baseline accepts all of its failures. */
  accepted: boolean;
  /** Requirement ids in the order of the report. */
  requirements: string[];
  /** Operations of the exchanges that show the failures, such as "v3 createSession". */
  operations: string[];
  /** Keys of the failing matrix cells and inputs. */
  cells: string[];
  /** Number of failures. */
  failures: number;
  /**
   * The representative failure: the id of its requirement, and its index among the failures of this requirement. Absent
   * for a fault of the suite.
   */
  example?: { requirement: string; failure: number };
}

/** One failure with its row; `failure` is undefined for a row without failures. */
interface Occurrence {
  row: ReportRow;
  index: number;
  failure: Failure | undefined;
  exchange: Exchange | undefined;
  accepted: boolean;
}

/** Grouping key of an occurrence. */
interface Signature {
  key: string;
  title: string;
  /**
   * True if the message alone does not identify the cause. The failure then joins the cause that explains its exchange
   * or status, if there is one.
   */
  vague: boolean;
}

/**
 * Groups the findings of a report by cause. Causes with findings that no baseline accepts come first. Within these and
 * the others, the order is by severity, then by profile, then by the number of requirements.
 */
export function reportCauses(report: Report): Cause[] {
  const signed = occurrences(report).map((occurrence) => ({ occurrence, signature: createSignature(occurrence) }));
  const definite = signed.filter(({ signature }) => !signature.vague);
  const byExchange = new Map(
    definite.flatMap(({ occurrence: { failure }, signature }) =>
      failure?.exchange === undefined || failure.member !== undefined
        ? []
        : [[failure.exchange, signature.key] as const],
    ),
  );
  const statuses = Map.groupBy(
    new Set(definite.map(({ signature }) => signature.key)),
    (key) => /^(?:status \d+) /.exec(key)?.[0].trim() ?? '',
  );
  const groups = Map.groupBy(signed, ({ occurrence, signature }) => {
    const key = signature.vague ? (explanation(occurrence, { byExchange, statuses }) ?? signature.key) : signature.key;
    return `${occurrence.accepted ? 'accepted' : 'open'} ${key}`;
  });
  return [...groups.values()].map((members) => createCause(members)).toSorted(gravestFirst);
}

function occurrences({ requirements, exchanges }: Report): Occurrence[] {
  return requirements.filter(isFinding).flatMap((row): Occurrence[] => {
    const none = { row, index: -1, failure: undefined, exchange: undefined, accepted: row.accepted !== undefined };
    if (row.failures.length === 0) return [none];
    return row.failures.map((failure, index) => ({
      row,
      index,
      failure,
      exchange: failure.exchange === undefined ? undefined : exchanges[failure.exchange],
      accepted: row.accepted !== undefined || failure.accepted !== undefined,
    }));
  });
}

function createSignature({ row, failure, exchange }: Occurrence): Signature {
  if (failure === undefined) {
    const [title = row.text] = (row.reason ?? row.text).split('\n');
    return { key: `row ${row.reason === undefined ? row.id : title}`, title, vague: false };
  }
  const { message, member } = failure;
  if (member !== undefined && exchange !== undefined) {
    const name = member.split('/').findLast((part) => !/^\d+$/.test(part)) ?? '';
    // A refusal with a wrong status has the body of that status.
    return { key: `member ${exchange.generation} ${name}`, title: message, vague: exchange.status >= 400 };
  }
  if (exchange !== undefined && message.includes(`answered ${exchange.status}`))
    return statusSignature(exchange, message);
  return { key: `message ${generalizeMessage(failure)}`, title: message, vague: exchange !== undefined };
}

// A wrong status code occurs in many operations; a request that was wrongly accepted is a fault of its own operation.
function statusSignature({ status, generation, operation }: Exchange, message: string): Signature {
  const place = status < 400 ? `${generation} ${operation} ` : '';
  // Every operation documents its statuses: an undocumented status is less specific than the expectation of a check.
  if (/\bexpected one of [1-5]\d\d\b/.test(message)) {
    const title = `${place}answered ${status}; expected a documented status`;
    return { key: `status ${status} ${place}undocumented`, title, vague: true };
  }
  const expected = /\bexpected\b.*?\b([1-5]\d\d)\b/.exec(message)?.[1];
  if (expected === undefined)
    return { key: `status ${status} in ${generalizeMessage({ message })}`, title: message, vague: true };
  return {
    key: `status ${status} ${place}${expected}`,
    title: `${place}answered ${status}; expected ${expected}`,
    vague: false,
  };
}

/** Returns a message without its variable parts: the cell, quoted text, JSON and numbers. */
function generalizeMessage({ message, cell }: Pick<Failure, 'message' | 'cell'>): string {
  const text = cell === undefined ? message : message.replaceAll(cell, '');
  return withoutJson(text)
    .replaceAll(/"[^"]*"|`[^`]*`/g, '""')
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}|\d+/gi, '0');
}

function withoutJson(text: string): string {
  const begin = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'));
  return begin === -1 || end < begin ? text : `${text.slice(0, begin)}${text.slice(end + 1)}`;
}

interface Explanations {
  byExchange: ReadonlyMap<number, string>;
  /** Keys of causes by status, such as "status 400". */
  statuses: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns the key of the cause to which a vague failure belongs: the cause of another failure with the same exchange.
 * Otherwise, if the message names the refusal status of the exchange, the only cause with this status. Undefined if
 * there is no such cause.
 */
function explanation({ failure, exchange }: Occurrence, { byExchange, statuses }: Explanations): string | undefined {
  const own = failure?.exchange === undefined ? undefined : byExchange.get(failure.exchange);
  if (own !== undefined || exchange === undefined || exchange.status < 400) return own;
  if (failure?.member !== undefined) return undefined;
  if (failure?.message.includes(`answered ${exchange.status}`) !== true) return undefined;
  const [only, ...others] = statuses.get(`status ${exchange.status}`) ?? [];
  return others.length === 0 ? only : undefined;
}

function createCause(members: readonly { occurrence: Occurrence; signature: Signature }[]): Cause {
  const all = members.map(({ occurrence }) => occurrence);
  const best = members.find(({ signature }) => !signature.vague) ?? members[0];
  if (best === undefined) throw new Error('a cause has at least one failure');
  const { occurrence, signature } = best;
  const verdict = verdictOrder.find((one) => all.some(({ row }) => row.verdict === one)) ?? occurrence.row.verdict;
  return {
    title: signature.title,
    verdict,
    profile: all.some(({ row }) => row.profile === 'documented') ? 'documented' : 'full',
    accepted: occurrence.accepted,
    requirements: unique(all.map(({ row }) => row.id)),
    operations: unique(
      all.flatMap(({ exchange }) => (exchange === undefined ? [] : [`${exchange.generation} ${exchange.operation}`])),
    ),
    cells: unique(all.flatMap(({ failure }) => (failure?.cell === undefined ? [] : [failure.cell]))),
    failures: all.filter(({ failure }) => failure !== undefined).length,
    ...(occurrence.failure === undefined
      ? {}
      : { example: { requirement: occurrence.row.id, failure: occurrence.index } }),
  };
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}

function gravestFirst(left: Cause, right: Cause): number {
  const rank = ({ accepted, verdict, profile }: Cause): number =>
    (accepted ? 100 : 0) + verdictOrder.indexOf(verdict) * 2 + (profile === 'full' ? 1 : 0);
  return rank(left) - rank(right) || right.requirements.length - left.requirements.length;
}

/** Returns the example of a cause with its row and its exchange; undefined for a fault of the suite. */
export function causeExample(
  { example }: Cause,
  { requirements, exchanges }: Report,
): { row: ReportRow; failure: Failure; exchange: Exchange | undefined } | undefined {
  const row = requirements.find(({ id }) => id === example?.requirement);
  const failure = row?.failures[example?.failure ?? -1];
  if (row === undefined || failure === undefined) return undefined;
  return { row, failure, exchange: failure.exchange === undefined ? undefined : exchanges[failure.exchange] };
}
