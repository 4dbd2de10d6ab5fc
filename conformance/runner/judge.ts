import type { Check, CheckContext, Finding, Remark } from '../core/check.ts';
import type { Exchange } from '../core/exchange.ts';
import { Blocked, NotRun, NotTestable } from '../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../core/scenario.ts';
import { type Generation, offeredGenerations } from '../core/target.ts';
import type { JudgedCell, ReportRow } from '../core/report.ts';
import type { Requirement } from '../core/requirement.ts';

/** Result of one check. */
export interface Judgement {
  verdict: ReportRow['verdict'];
  cells: ReportRow['cells'];
  reason?: string;
  /** Present if a whole operation could not be judged. */
  blocked?: true;
  /** Verdict of each cell, in the order of judging. */
  judgedCells: JudgedCell[];
  findings: Finding[];
  /** The judged responses, if the check names them. */
  exchanges: Iterable<Exchange>;
}

/** Input of {@link judge}. */
export interface JudgeInput {
  requirement: Requirement;
  check: Check;
  context: ScenarioContext;
  only: CheckContext['only'];
  recording<T>(scenario: Scenario<T>): Promise<T>;
  /** Returns true if this shard of the run executes the scenario. @defaultValue true for every scenario */
  drives?: CheckContext['drives'];
}

/** Reason of a row that is not testable because its check has called no `expect`. */
export const nothingSeen = 'nothing of it was seen on this target';

/** Runs one check to its verdict; never throws. */
export async function judge(input: JudgeInput): Promise<Judgement> {
  const tally = new Tally();
  try {
    await input.check.judge(createCheckContext(input, tally));
  } catch (error) {
    return interrupted(error, tally, input.requirement.level);
  }
  // A conforming target may show no exchange for a law. Tests on the fake service ensure that no check is empty by
  // mistake.
  if (tally.judged === 0) return tally.result('notTestable', nothingSeen);
  return tally.result(tally.findings.length === 0 ? 'pass' : failing(input.requirement.level));
}

class Tally {
  judged = 0;
  total = 0;
  rest: string | undefined;
  readonly findings: Finding[] = [];
  readonly cells = new Map<string, JudgedCell['verdict']>();
  readonly exchanges = new Set<Exchange>();

  expect(holds: boolean, remark: Remark): void {
    const { cell, exchange, message } = remark;
    this.judged += 1;
    if (cell !== undefined) {
      const before = this.cells.get(cell);
      const now = holds && before !== 'fail' ? 'pass' : 'fail';
      if (now !== before) this.cells.set(cell, now);
    }
    if (exchange !== undefined) this.exchanges.add(exchange);
    if (!holds) this.findings.push({ ...remark, message: typeof message === 'string' ? message : message() });
  }

  result(verdict: Judgement['verdict'], reason?: string): Judgement {
    const withCells = this.cells.size > 0 || this.total > 0;
    const failed = new Set(this.findings.map((finding) => finding.cell)).size;
    const judged = withCells ? this.cells.size : Math.min(1, this.judged);
    const cells = { total: withCells ? Math.max(this.total, judged) : 1, judged, failed };
    const why = reason ?? (cells.judged < cells.total ? this.rest : undefined);
    const judgedCells = [...this.cells].map(([cell, found]) => ({ cell, verdict: found }));
    const { findings, exchanges } = this;
    return { verdict, cells, judgedCells, findings, exchanges, ...(why === undefined ? {} : { reason: why }) };
  }
}

function createCheckContext(input: JudgeInput, tally: Tally): CheckContext {
  const offered = offeredGenerations(input.context.target);
  return {
    ...input.context,
    generations: input.requirement.versions.filter((version: Generation) => offered.includes(version)),
    only: input.only,
    recording: (scenario) => {
      if (input.check.needs(input.context.target).includes(scenario)) return input.recording(scenario);
      throw new Error(`${input.check.id} uses the scenario ${scenario.name} without naming it in "needs"`);
    },
    drives: input.drives ?? (() => true),
    expect: (holds, remark) => tally.expect(holds, remark),
    cellTotal: (count, rest) => {
      tally.total = count;
      tally.rest = rest;
    },
    notTestable: (reason) => {
      throw new NotTestable(reason);
    },
    blocked: (reason) => {
      throw new Blocked(reason);
    },
    notRun: (reason) => {
      throw new NotRun(reason);
    },
  };
}

// Findings from before an early end still count.
function interrupted(error: unknown, tally: Tally, level: Requirement['level']): Judgement {
  const expected = error instanceof NotTestable || error instanceof NotRun;
  if (!expected) return tally.result('error', error instanceof Error ? (error.stack ?? error.message) : String(error));
  if (tally.findings.length > 0) return tally.result(failing(level), error.message);
  const result = tally.result(error instanceof NotRun ? 'notRun' : 'notTestable', error.message);
  return error instanceof Blocked ? { ...result, blocked: true } : result;
}

/** Verdict of a failed requirement of each level. */
const failures = { MUST: 'violation', SHOULD: 'warning', MAY: 'note' } as const;

function failing(level: Requirement['level']): 'violation' | 'warning' | 'note' {
  return failures[level];
}
