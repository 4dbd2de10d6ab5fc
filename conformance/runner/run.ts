import { assertSpendFor, certificationOptions, frozenSet } from './certification-options.ts';
import { certify } from './certify.ts';
import { cheapFirst, groupByPhase } from './order-rows.ts';
import { checks } from '../areas/index.ts';
import { cleanUp } from './cleanup.ts';
import { createRunContext } from './run-context.ts';
import type { CheckContext } from '../core/check.ts';
import { NotRun } from '../core/outcome.ts';
import { createRecorder } from '../core/recorder.ts';
import { createRecording } from './create-recording.ts';
import { openNetwork } from '../transport/network/open-network.ts';
import { readReplayToken } from '../core/replay-token.ts';
import type { AnyScenario, ScenarioContext, Scenario } from '../core/scenario.ts';
import { readOperation } from '../provider-stub/stub-reader.ts';
import { createStubHolder } from './stub-holder.ts';
import { createThrottle } from '../transport/throttle.ts';
import type { Throttle } from '../core/controls.ts';
import { type JudgeInput, type Judgement, judge } from './judge.ts';
import { settle } from './options.ts';
import type { RunOptions, RunSettings } from './settings.ts';
import type { Profile } from '../core/spend.ts';
import { type Plan, type PlannedRow, planRun } from './plan.ts';
import { type ProgressEmitter, createProgressEmitter } from './progress.ts';
import { preflight } from './preflight.ts';
import { type Requirement, findRequirement } from '../core/requirement.ts';
import { selectRequirements } from './select.ts';
import { type ReportInput, buildReport, buildRow } from './build-report.ts';
import type { Report, ReportRow } from '../core/report.ts';
import { planShard } from './shard.ts';
import { smokeChecks } from './smoke-checks.ts';
import type { OrphanCandidates } from '../ledger/orphans.ts';
import { type RunWatch, watchRun } from './watch.ts';

/**
 * Judges a target and returns the report; writes nothing and never exits.
 * Throws SuiteError for wrong usage, an unreachable target or a refused key.
 */
export async function run(options: RunOptions): Promise<Report> {
  const open = openRun(options);
  try {
    await open.preflight();
    for (const rows of open.phases) await open.judge(rows);
  } finally {
    await open.close();
  }
  return open.finalReport();
}

/** A run whose rows are judged on request. */
export interface OpenRun {
  plan: Plan;
  /** Groups of rows. The caller judges one group after another, so that their rows do not interfere. */
  phases: PlannedRow[][];
  /**
   * Starts the provider stub if it is needed, and checks that the target responds and accepts the key; throws
   * SuiteError otherwise.
   */
  preflight(): Promise<void>;
  /** Judges rows concurrently; runs each needed scenario once per run. */
  judge(rows: readonly PlannedRow[]): Promise<void>;
  /** Returns the report row of a planned row, with its verdict so far. */
  row(row: PlannedRow): ReportRow;
  /** Ends the run and removes the created resources; never throws. */
  close(): Promise<void>;
  /** Returns the report of the rows judged so far. */
  report(): Report;
  /** Returns the report of the closed run, and passes the recording to `onRecording`. Call it once, after `close`. */
  finalReport(): Report;
}

/** Creates a run without sending a request. Throws SuiteError `usage` for invalid options. */
export function openRun(options: RunOptions): OpenRun {
  const startedAt = new Date();
  const { asked, settings: wanted, only } = resolveSettings(options);
  const recorder = createRecorder();
  const plan = planFor(wanted);
  const network = openNetwork(wanted.network);
  const settings = besideProxy(network.carry(wanted), wanted.transport);
  const providers = createStubHolder();
  const watch = watchRun(settings, recorder);
  const runContext = createRunContext({
    settings,
    recorder,
    signal: watch.signal,
    onlyCell: only?.cell,
    onCostLimit: (reason) => watch.costLimit(reason),
    onAnswerLimit: (reason) => watch.answerLimit(reason),
    onUnreachable: (reason) => watch.unreachable(reason),
    onUnserved: (reason) => watch.unserved(reason),
  });
  watch.follow(runContext.ledger);
  const tell = createProgressEmitter({ plan, settings, runContext });
  const judgements = new Map<string, Judgement>();
  const clockTurn = createThrottle({ ratePerSecond: 0, concurrency: 1 });
  const shared = { plan, settings, watch, only, judgements, runContext, clockTurn, tell };
  const stage: Stage = { ...shared, early: new Set(), driven: new Map() };
  let candidates: OrphanCandidates = new Map();
  const input = (): ReportInput => ({
    plan,
    settings,
    judgements,
    runContext,
    startedAt,
    ended: watch.ended(),
    candidates,
  });
  const report = (): Report => withCertificates(buildReport(input()), settings);
  return {
    plan,
    phases: settings.cheapFirst ? cheapFirst(plan.rows, settings.target) : groupByPhase(plan.rows, settings.target),
    preflight: async () => {
      tell({ kind: 'planned' });
      await providers.open(settings);
      await checkAccess(runContext.contextFor('preflight'), settings.profile);
    },
    judge: async (rows) => {
      await runPhase(rows, stage);
      if (settings.cheapFirst) await lookEarly(stage);
    },
    row: (row) => buildRow(row, { input: input(), exchanges: [] }),
    close: async () => {
      watch.close();
      tell({ kind: 'cleaning' });
      // A scenario that is still running could create a resource after the ledger has been read.
      await Promise.allSettled(stage.driven.values());
      candidates = await cleanUp({ settings, ledger: runContext.ledger, recorder: runContext.recorder });
      await network.close();
      await providers.close();
    },
    report,
    finalReport: () => {
      const final = report();
      settings.onRecording?.(createRecording({ settings: asked, recorder, report: final }));
      return final;
    },
  };
}

/** Bypasses the proxy for requests to the provider stub, which is on this machine. */
function besideProxy(settings: RunSettings, plain: RunSettings['transport']): RunSettings {
  const { transport } = settings;
  if (transport === plain) return settings;
  return {
    ...settings,
    transport: (request) => (request.operation === readOperation ? plain(request) : transport(request)),
  };
}

/**
 * Runs the preflight. Ignores an early end of the run (NotRun), because each row then states the reason of this end.
 */
async function checkAccess(context: ScenarioContext, profile: Profile): Promise<void> {
  try {
    await preflight(context, profile);
  } catch (error) {
    if (!(error instanceof NotRun)) throw error;
  }
}

/** Returns the plan of a run without sending a request. Throws SuiteError `usage` for invalid options. */
export function planOf(options: RunOptions): Plan {
  return planFor(resolveSettings(options).settings);
}

function withCertificates(report: Report, { certify: wanted }: RunSettings): Report {
  if (wanted === undefined) return report;
  return { ...report, certify: wanted.map((generation) => certify(frozenSet(generation), report.requirements)) };
}

interface Asked {
  /** Settings as requested, before a replay narrows them. */
  asked: RunSettings;
  settings: RunSettings;
  only: CheckContext['only'];
}

function resolveSettings(options: RunOptions): Asked {
  const scoped = certificationOptions(options);
  assertSpendFor(scoped, (spend) => planFor(settle({ ...scoped, spend })));
  const asked = settle(scoped);
  return { asked, ...withReplay(asked) };
}

function planFor(settings: RunSettings): Plan {
  const wanted = settings.profile === 'smoke' ? smokeChecks : checks;
  const plan = planRun({ requirements: selectRequirements(settings.only), checks: wanted, settings });
  return settings.shard === undefined ? plan : planShard(plan, settings, settings.shard);
}

function withReplay(settings: RunSettings): { settings: RunSettings; only: CheckContext['only'] } {
  if (settings.replay === undefined) return { settings, only: undefined };
  const { id, seed, path, cell } = readReplayToken(settings.replay);
  const profile = findRequirement(id)?.profile ?? settings.profile;
  const only = { ...(path === undefined ? {} : { path }), ...(cell === undefined ? {} : { cell }) };
  return { settings: { ...settings, only: [id], seed, profile }, only };
}

interface Stage {
  plan: Plan;
  settings: RunSettings;
  watch: RunWatch;
  only: CheckContext['only'];
  judgements: Map<string, Judgement>;
  /** Ids whose failure was found by an early judgement. */
  early: Set<string>;
  runContext: ReturnType<typeof createRunContext>;
  tell: ProgressEmitter;
  driven: Map<AnyScenario, Promise<unknown>>;
  /** Serialises scenarios that move the clock, because the target has only one clock. */
  clockTurn: Throttle;
}

async function runPhase(rows: readonly PlannedRow[], stage: Stage): Promise<void> {
  await Promise.all(
    rows.map(async ({ requirement, check }) => {
      if (check === undefined) return;
      const known = stage.early.has(requirement.id);
      if (known && stage.watch.signal.aborted) return;
      const judgement = stage.watch.signal.aborted
        ? await judgeSeen({ requirement, check }, stage)
        : await judgeRow({ requirement, check }, stage);
      if (known) stage.judgements.set(requirement.id, judgement);
      else conclude(requirement, judgement, stage);
    }),
  );
}

/**
 * Judges a law without scenarios over the exchanges that a run has recorded before its early end: a violation in a
 * response remains a violation. For any other row, and for a law without a violation, returns the verdict notRun.
 */
async function judgeSeen(
  { requirement, check }: Pick<JudgeInput, 'requirement' | 'check'>,
  stage: Stage,
): Promise<Judgement> {
  const ended = notRun(stage.watch.signal.reason);
  if (check.early === undefined || check.needs(stage.settings.target).length > 0) return ended;
  const judgement = await judgeRow({ requirement, check: { ...check, judge: check.early } }, stage);
  return judgement.verdict === 'violation' ? judgement : ended;
}

/**
 * Judges laws over the exchanges so far, before the end of the run. Keeps only violations, because later exchanges
 * cannot remove them.
 */
async function lookEarly(stage: Stage): Promise<void> {
  for (const { requirement, check, skip } of stage.plan.rows) {
    if (stage.watch.signal.aborted) return;
    if (check?.early === undefined || skip !== undefined || stage.early.has(requirement.id)) continue;
    if (!check.needs(stage.settings.target).every((scenario) => stage.driven.has(scenario))) continue;
    const judgement = await judgeRow({ requirement, check: { ...check, judge: check.early } }, stage);
    if (judgement.verdict !== 'violation') continue;
    stage.early.add(requirement.id);
    conclude(requirement, judgement, stage);
  }
}

function conclude(requirement: Requirement, judgement: Judgement, { judgements, settings, watch, tell }: Stage): void {
  judgements.set(requirement.id, judgement);
  if (!settings.known.includes(requirement.id)) watch.count(judgement);
  tell({ kind: 'judged', requirement, judgement });
}

function judgeRow({ requirement, check }: Pick<JudgeInput, 'requirement' | 'check'>, stage: Stage): Promise<Judgement> {
  const { shard } = stage.plan;
  const drives = (scenario: AnyScenario): boolean => shard?.foreign.has(scenario) !== true;
  async function recording<T>(scenario: Scenario<T>): Promise<T> {
    if (!drives(scenario))
      throw new NotRun(`shard ${shard?.foreign.get(scenario)} of ${shard?.of} drives ${scenario.name}`);
    const context = (): Promise<T> =>
      told(scenario, stage, () =>
        scenario.run(stage.runContext.contextFor(scenario.name, stage.plan.taskBudgets.get(scenario))),
      );
    const started = stage.driven.get(scenario) ?? (scenario.movesClock === true ? stage.clockTurn(context) : context());
    stage.driven.set(scenario, started);
    // The map has the scenario as its key, so the promise resolves to the recording of this scenario.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one map holds recordings of many types
    return started as Promise<T>;
  }
  const context = stage.runContext.contextFor(requirement.id);
  return judge({ requirement, check, context, only: stage.only, recording, drives });
}

async function told<T>({ name }: AnyScenario, { tell }: Stage, context: () => Promise<T>): Promise<T> {
  tell({ kind: 'scenarioStarted', name });
  try {
    return await context();
  } finally {
    tell({ kind: 'scenarioEnded', name });
  }
}

function notRun(reason: unknown): Judgement {
  const text = reason instanceof NotRun ? reason.message : String(reason);
  const cells = { total: 1, judged: 0, failed: 0 };
  return { verdict: 'notRun', reason: text, cells, judgedCells: [], findings: [], exchanges: [] };
}
