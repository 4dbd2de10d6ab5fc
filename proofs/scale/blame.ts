import { checks } from '../../conformance/areas/index.ts';
import type { Exchange } from '../../conformance/core/exchange.ts';
import type { Recording } from '../../conformance/recording/index.ts';
import type { Report, ReportRow } from '../../conformance/core/report.ts';

/** What a run has found, and what it is held against. */
export interface BlameInput {
  readonly report: Pick<Report, 'requirements' | 'exchanges' | 'left'>;
  readonly recording: Pick<Recording, 'happenings' | 'target'>;
  /** Ids and tokens of everything that died with a worker. */
  readonly lost: readonly string[];
  /** Whether browsers are simulated, which cannot do everything. */
  readonly isSimulated: boolean;
}

/** A finding that goes back to a worker that died. */
export interface Excused {
  readonly finding: string;
  /** `itself`: its exchange names what died; `scenario`: its scenario had something that died; `simulation`: there is no Chromium behind it. */
  readonly by: 'itself' | 'scenario' | 'simulation';
}

/** Everything that a run has found, apart by whose fault it is. */
export interface Blame {
  readonly excused: readonly Excused[];
  readonly faults: readonly string[];
}

/**
 * Tells what goes back to a worker that died from what does not. A finding is excused where its exchange names what died, or was sent by a
 * scenario another exchange of which does: what follows from a loss is seen in what comes after it. An answer of 500 or more, or none at
 * all, and something that is left behind are excused for nothing.
 */
export function blame({ report, recording, lost, isSimulated }: BlameInput): Blame {
  const names = lost.map((name) => name.toLowerCase());
  const namesLost = (exchange: Exchange): boolean => {
    const text = textOf(exchange);
    return names.some((name) => text.includes(name));
  };
  const exchanges = recording.happenings.flatMap((one) => (one.kind === 'exchange' ? [one.exchange] : []));
  const touched = new Set(exchanges.filter(namesLost).map(({ sentBy }) => sentBy));
  const [excused, faults]: [Excused[], string[]] = [[], []];
  for (const { finding, exchange, row } of findingsOf(report)) {
    const senders = exchange === undefined ? needsOf(row, recording) : [exchange.sentBy];
    if (isSimulated && finding.includes(notSimulated)) excused.push({ finding, by: 'simulation' });
    else if (exchange !== undefined && namesLost(exchange)) excused.push({ finding, by: 'itself' });
    else if (senders.some((sender) => touched.has(sender))) excused.push({ finding, by: 'scenario' });
    else faults.push(finding);
  }
  return { excused, faults: [...faults, ...unansweredOf(exchanges, recording.target.url), ...leftOf(report)] };
}

/** What simulated browsers say to commands that need a Chromium. */
const notSimulated = 'is not simulated';

interface Found {
  readonly finding: string;
  readonly exchange: Exchange | undefined;
  readonly row: ReportRow;
}

function findingsOf({ requirements, exchanges }: BlameInput['report']): Found[] {
  return requirements.flatMap((row) => {
    const failures = row.failures.map(({ message, exchange }) => ({
      finding: `${row.id} (${row.verdict}): ${message}`,
      exchange: exchange === undefined ? undefined : exchanges[exchange],
      row,
    }));
    if (row.verdict !== 'error') return failures;
    return [...failures, { finding: `${row.id} (error): ${firstLine(row.reason)}`, exchange: undefined, row }];
  });
}

/** The scenarios that a row is judged by, and the row itself, which may have sent something too. */
function needsOf({ id }: ReportRow, { target }: BlameInput['recording']): string[] {
  const found = checks.find((one) => one.id === id);
  return [id, ...(found?.needs(target) ?? []).map(({ name }) => name)];
}

const firstServerError = 500;

function unansweredOf(exchanges: readonly Exchange[], url: string): string[] {
  return exchanges
    .filter(({ request, status }) => request.url.startsWith(url) && (status === 0 || status >= firstServerError))
    .map(({ request, status, sentBy, fault, body }) => {
      const what = status === 0 ? `no answer (${fault ?? 'unknown'})` : `${status} ${firstLine(body)}`;
      return `${sentBy}: ${request.method} ${new URL(request.url).pathname} was answered ${what}`;
    });
}

function leftOf({ left }: BlameInput['report']): string[] {
  return left.map((entry) => `left behind: ${JSON.stringify(entry)}`);
}

function textOf({ request, body, headers }: Exchange): string {
  return [request.url, request.body ?? '', body, headers['location'] ?? ''].join('\n').toLowerCase();
}

const shown = 300;

function firstLine(text = ''): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, shown);
}
