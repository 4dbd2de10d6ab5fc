import { checks } from '#conformance/areas/index.ts';
import type { Exchange } from '#conformance/core/exchange.ts';
import type { Recording } from '#conformance/recording/index.ts';
import type { Report, ReportRow } from '#conformance/core/report.ts';

/** Findings of a run, and the data that explains them. */
export interface BlameInput {
  readonly report: Pick<Report, 'requirements' | 'exchanges' | 'left'>;
  readonly recording: Pick<Recording, 'happenings' | 'target'>;
  /** Ids and access tokens of the sessions and browsers that killed workers owned, and the ids of their runs. */
  readonly lost: readonly string[];
  /** Whether browsers are simulated. Simulated browsers do not support every command. */
  readonly isSimulated: boolean;
}

/** A finding that the death of a worker or the simulation of browsers explains. */
export interface Excused {
  readonly finding: string;
  /**
   * `itself`: the exchange of the finding contains an id or token from `lost`; `scenario`: another exchange of the same
   * check or its scenarios contains an id or token from `lost`; `simulation`: the finding needs a real Chromium.
   */
  readonly by: 'itself' | 'scenario' | 'simulation';
}

/** Findings of a run, split by whether the death of a worker or the simulation of browsers explains them. */
export interface SplitFindings {
  readonly excused: readonly Excused[];
  readonly faults: readonly string[];
}

/**
 * Splits the findings of a run into excused findings and faults. A finding is excused when its exchange, or any
 * exchange of its scenarios, concerns a resource of a killed worker, or when it needs a real Chromium. A missing
 * response, a status of at least 500, and an orphaned resource are never excused.
 */
export function splitFindings({ report, recording, lost, isSimulated }: BlameInput): SplitFindings {
  const names = lost.map((name) => name.toLowerCase());
  const namesLost = (exchange: Exchange): boolean => {
    const text = getText(exchange);
    return names.some((name) => text.includes(name));
  };
  const exchanges = recording.happenings.flatMap((one) => (one.kind === 'exchange' ? [one.exchange] : []));
  const touched = new Set(exchanges.filter(namesLost).map(({ sentBy }) => sentBy));
  const [excused, faults]: [Excused[], string[]] = [[], []];
  for (const { finding, exchange, row } of getFindings(report)) {
    const senders = exchange === undefined ? getNeeds(row, recording) : [exchange.sentBy];
    if (isSimulated && finding.includes(notSimulated)) excused.push({ finding, by: 'simulation' });
    else if (exchange !== undefined && namesLost(exchange)) excused.push({ finding, by: 'itself' });
    else if (senders.some((sender) => touched.has(sender))) excused.push({ finding, by: 'scenario' });
    else faults.push(finding);
  }
  return { excused, faults: [...faults, ...getUnanswered(exchanges, recording.target.url), ...getLeft(report)] };
}

/** Error of simulated browsers for commands that need Chromium. */
const notSimulated = 'is not simulated';

interface Found {
  readonly finding: string;
  readonly exchange: Exchange | undefined;
  readonly row: ReportRow;
}

function getFindings({ requirements, exchanges }: BlameInput['report']): Found[] {
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

/**
 * Returns the senders of the exchanges on which the check of a requirement depends: the names of its scenarios, and the
 * id of the requirement for requests that the check itself sends.
 */
function getNeeds({ id }: ReportRow, { target }: BlameInput['recording']): string[] {
  const found = checks.find((one) => one.id === id);
  return [id, ...(found?.needs(target) ?? []).map(({ name }) => name)];
}

const firstServerError = 500;

function getUnanswered(exchanges: readonly Exchange[], url: string): string[] {
  return exchanges
    .filter(({ request, status }) => request.url.startsWith(url) && (status === 0 || status >= firstServerError))
    .map(({ request, status, sentBy, fault, body }) => {
      const what = status === 0 ? `no answer (${fault ?? 'unknown'})` : `${status} ${firstLine(body)}`;
      return `${sentBy}: ${request.method} ${new URL(request.url).pathname} was answered ${what}`;
    });
}

function getLeft({ left }: BlameInput['report']): string[] {
  return left.map((entry) => `left behind: ${JSON.stringify(entry)}`);
}

function getText({ request, body, headers }: Exchange): string {
  return [request.url, request.body ?? '', body, headers['location'] ?? ''].join('\n').toLowerCase();
}

const shown = 300;

function firstLine(text = ''): string {
  return (text.split('\n', 1)[0] ?? '').slice(0, shown);
}
