import { AssertionError } from 'node:assert';
import { readTextFile } from '../core/data-file.ts';
import { parseTarget, targetUse } from '../core/parse-target.ts';
import type { RunOptions } from './settings.ts';
import type { PlannedRow } from './plan.ts';
import { failureLines, failureTitle } from './failure-text.ts';
import type { Report, ReportRow } from '../core/report.ts';
import { contractLines } from '../core/requirement.ts';
import { type OpenRun, openRun } from './run.ts';

/** Options of a test suite: the options of a run, with a URL and a target file instead of a target. */
export interface ChecksOptions extends Omit<RunOptions, 'target'> {
  /** URL of the service, without /api/v3. */
  url: string;
  /** Path of the target file, for facts that the contract does not show. @defaultValue none */
  targetFile?: string;
}

/** One requirement as a test case. */
export interface CheckCase {
  id: string;
  area: string;
  /** Title of the form `<LEVEL> <sentence> [id]`. */
  title: string;
  /**
   * Judges the requirement and runs its scenarios at first use. Throws an AssertionError for a violation, and an Error
   * for a fault of the suite. Calls `skip` with the reason if the requirement is not testable or not run. Returns the
   * row, which also shows a warning or a note.
   */
  run(context?: { skip?: (reason: string) => unknown }): Promise<ReportRow>;
}

/** The requirements of one run as test cases, ordered so that they do not affect each other. */
export interface CheckSuite extends Iterable<CheckCase>, AsyncDisposable {
  /** Removes the created resources; call it after the last test. Throws an AssertionError if a resource remains. */
  close(): Promise<Report>;
}

/**
 * Returns every requirement as a test case for your own test runner. A case sends requests and creates resources only
 * when it runs.
 *
 * @example
 * const suite = await checks({ url: 'http://127.0.0.1:8080', apiKey: 'svc_...' });
 * for (const one of suite) test(one.title, (context) => one.run(context));
 * afterAll(() => suite.close());
 *
 * Throws SuiteError for wrong usage, an unreachable target or a refused key.
 */
export async function checks({ url, targetFile, ...options }: ChecksOptions): Promise<CheckSuite> {
  const text = targetFile === undefined ? undefined : readTextFile(targetFile, targetUse);
  const open = openRun({ ...options, target: parseTarget({ url, text, name: targetFile }) });
  try {
    await open.preflight();
  } catch (error) {
    await open.close();
    throw error;
  }
  const active = open.phases.flat();
  const rows = [...active, ...open.plan.rows.filter((row) => !active.includes(row))];
  const cases = rows.map((row) => createCase(row, open));
  let closed: Promise<Report> | undefined;
  const close = (): Promise<Report> => (closed ??= closeRun(open));
  return {
    [Symbol.iterator]: () => cases.values(),
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
    },
  };
}

function createCase(planned: PlannedRow, open: OpenRun): CheckCase {
  const { id, area, level, text } = planned.requirement;
  let judged: Promise<void> | undefined;
  return {
    id,
    area,
    title: `${level} ${text} [${id}]`,
    run: async ({ skip } = {}) => {
      // A retried test gets the same verdict without a second creation.
      if (planned.skip === undefined) await (judged ??= open.judge([planned]));
      const row = open.row(planned);
      const { verdict, reason = 'no reason' } = row;
      if (verdict === 'violation') throw new AssertionError({ message: formatFailures(id, open.report()) });
      if (verdict === 'error') throw new Error(`a fault of the suite itself: ${reason}`);
      if (verdict === 'notTestable') skip?.(`not testable: ${reason}`);
      if (verdict === 'notRun') skip?.(`not run: ${reason}`);
      return row;
    },
  };
}

function formatFailures(id: string, { requirements, exchanges }: Report): string {
  const row = requirements.find((item) => item.id === id);
  const { source = '', failures = [] } = row ?? {};
  const parts = failures.map((failure) => [failureTitle(failure), ...failureLines(failure, exchanges)].join('\n  '));
  return [...parts, ...(row === undefined ? [] : contractLines(row)), `source: ${source}`].join('\n');
}

async function closeRun(open: OpenRun): Promise<Report> {
  await open.close();
  const report = open.finalReport();
  if (report.left.length === 0) return report;
  const left = report.left.map(({ generation, kind, id = 'of unknown id' }) => `${generation} ${kind} ${id}`);
  throw new AssertionError({ message: `the run has left ${left.join(', ')}` });
}
