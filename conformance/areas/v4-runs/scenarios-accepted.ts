import { sample } from '../../core/random.ts';
import type { JobSnapshot } from '../../core/apis.ts';
import { succeeded } from '../../core/exchange.ts';
import { type JobKind, unendableReason, unwatchableReason } from '../../core/job-target.ts';
import { ifTestable, settleAll } from '../../core/outcome.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import type { Target } from '../../core/target.ts';
import { type Probed, selectedCells } from '../../common/probe-cells.ts';
import { type AcceptanceProbe, probeAcceptance, type ProbedTable } from '../../common/acceptance-probes.ts';
import { runCeiling } from '../../common/probe-bodies.ts';
import { retryWhileBusy } from '../../common/retry-while-busy.ts';
import { createMeeting, hasCompleted, numberedTask, watchBeside, type WatchedJob } from '../../common/watched-jobs.ts';
import {
  emptyTable,
  type JobCell,
  modelTable,
  runCells,
  runTable,
  taskCells,
  taskTable,
  watchedRunCells,
} from './accepted-cells.ts';

/** Recorded requests for tasks or runs that must be accepted, and the jobs that were observed. */
export interface AcceptedJobs {
  cells: Probed<JobCell>[];
  /** Probes of the cells, each in a request that the target refuses for another reason. */
  probes: AcceptanceProbe<JobCell>[];
  /** Cells whose jobs worked at the same time and were polled to their end. */
  watched: WatchedCell[];
  /**
   * Snapshot of a job that was stopped while watched jobs may have been working; undefined if no stopped job could be
   * read.
   */
  stopped: JobSnapshot | undefined;
}

/** A cell whose job was polled to its end. */
export interface WatchedCell {
  cell: JobCell;
  job: WatchedJob;
  /**
   * A second job of the same cell, sent when the other jobs had ended. Sent only for one of the cells whose first job
   * did not complete.
   */
  again?: WatchedJob;
  /**
   * A job with the model of the cell and nothing else, sent after `again` did not complete; absent if it was not sent.
   */
  plain?: WatchedJob;
}

/** Number of V2 tasks with a level that are polled to their end. */
const watchedTasks = 2;

/**
 * Creates V2 tasks with accepted levels, as many as the task budget allows; polls two to their end, and ends the others
 * at once. Probes the levels of every model without starting a task.
 */
export const acceptedTasks: Scenario<AcceptedJobs> = {
  ...sendsCells('task', {
    cells: taskCells,
    watchedCells: (seed) => sample(taskCells, watchedTasks, seed),
    tables: () => [taskTable()],
  }),
  name: 'accepted-tasks',
  creates: 'one V2 task per level drawn, two until their end and the others stopped at once',
};

/**
 * Creates V4 runs with accepted models and modelParams values, as many as the task budget allows; polls one of each
 * family to its end, and ends the others at once. Probes every model and value without starting a run.
 */
export const acceptedRuns: Scenario<AcceptedJobs> = {
  ...sendsCells('run', {
    cells: runCells,
    watchedCells: watchedRunCells,
    tables: (target) => [runTable(target), modelTable(target), emptyTable(target)],
  }),
  name: 'accepted-runs',
  creates: 'one V4 run per model or modelParams value drawn, three until their end and the others cancelled at once',
};

interface CellTables {
  cells: readonly JobCell[];
  watchedCells: (seed: number) => readonly JobCell[];
  tables: (target: Target) => readonly ProbedTable<JobCell>[];
}

function sendsCells(
  kind: JobKind,
  { cells, watchedCells, tables }: CellTables,
): Omit<Scenario<AcceptedJobs>, 'name' | 'creates'> {
  return {
    spend: 'task',
    dispatches: 'cells',
    needsNoTask: true,
    cells: cells.length,
    stateful: false,
    unavailable: (target) => unendableReason(target, kind),
    run: async (context) => {
      const { onlyCell, seed, target, taskBudget } = context;
      const leading = target.stateless || onlyCell !== undefined ? [] : watchedCells(seed).slice(0, taskBudget);
      const covered = new Set(leading.flatMap(({ key, covers = [key] }) => covers));
      const others = selectedCells(cells, onlyCell).filter(({ key }) => !covered.has(key));
      const drawn = draw(others, taskBudget - leading.length, seed);
      const sent = await sendAll(context, kind, { leading, drawn });
      const probes: AcceptanceProbe<JobCell>[] = [];
      for (const { cells: probed, ...table } of tables(target))
        probes.push(...(await probeAcceptance(context, { ...table, cells: selectedCells(probed, onlyCell) })));
      return { ...sent, probes };
    },
  };
}

/** Number of drawn cells that are not sent if a watched job has not completed, so that this job can be sent again. */
const spareCount = 2;

/**
 * Sends the leading cells and polls their jobs to the end, while the drawn cells are sent and ended. A leading cell
 * whose job did not complete is sent again in place of the last drawn cells.
 */
async function sendAll(
  context: ScenarioContext,
  kind: JobKind,
  { leading, drawn }: Record<'leading' | 'drawn', readonly JobCell[]>,
): Promise<Omit<AcceptedJobs, 'probes'>> {
  const hasSpare = leading.length > 0 && drawn.length > spareCount;
  const spare = hasSpare ? drawn.slice(-spareCount) : [];
  const [pair, third] = hasSpare ? [createMeeting(context), createMeeting(context)] : [];
  const living = { count: 0 };
  const watching = leading.map((cell, index) =>
    watchCell(context, kind, { cell, number: index + 1, meet: index < 2 ? pair : third, living }),
  );
  const sending = sendCells(context, kind, {
    cells: hasSpare ? drawn.slice(0, -spareCount) : drawn,
    meet: leading.length > 2 ? third : undefined,
    living,
  });
  const [cells, ...parts] = await settleAll([sending, ...watching]);
  const watched = parts.flat();
  const stopped = await lookAtStopped(context, kind, cells);
  const failed = watched.find(({ job }) => succeeded(job.created) && job.looks.length > 0 && !hasCompleted(job));
  if (failed === undefined || !hasSpare) cells.push(...(await sendCells(context, kind, { cells: spare, living })));
  else await repeat(context, kind, { watched: failed, living });
  const leads = watched.map(({ cell, job }) => ({ cell, exchange: job.created }));
  return { cells: [...leads, ...cells], watched, stopped };
}

/** Counter of jobs whose end was not seen, shared by all cells of a scenario. */
interface Living {
  count: number;
}

interface CellWatch {
  cell: JobCell;
  number: number;
  /** Returns a promise that is awaited before the cell is sent. */
  meet?: (() => Promise<void>) | undefined;
  living: Living;
}

/**
 * Polls the job of one cell to its end. Returns an empty list without a request if too many jobs may still be alive
 * (`livingMax`).
 */
function watchCell(
  context: ScenarioContext,
  kind: JobKind,
  { cell, number, meet, living }: CellWatch,
): Promise<WatchedCell[]> {
  const { key } = cell;
  const members = { ...(kind === 'run' ? runCeiling(context.target) : {}), ...cell.members };
  return context.live(async () => {
    await meet?.();
    if (living.count >= livingMax) return [];
    const job = await watchBeside(context, kind, { key, number, members });
    living.count += job.looks.length > 0 && job.after.length === 0 ? 1 : 0;
    return [{ cell, job }];
  });
}

/**
 * Sends a watched cell again. If the new job does not complete either, sends a cell with only the model of the watched
 * cell. Stops early if too many jobs have missed their deadline.
 */
async function repeat(
  context: ScenarioContext,
  kind: JobKind,
  { watched, living }: { watched: WatchedCell; living: Living },
): Promise<void> {
  const { cell } = watched;
  if (context.deadlines.isGivenUp(kind)) return;
  const [again] = await watchCell(context, kind, { cell, number: 8, living });
  if (again === undefined) return;
  watched.again = again.job;
  if (hasCompleted(again.job) || context.deadlines.isGivenUp(kind)) return;
  const members = kind === 'run' ? { model: cell.model } : { llm: cell.model };
  const plain = { ...cell, key: `${cell.model} alone`, members };
  for (const { job } of await watchCell(context, kind, { cell: plain, number: 9, living })) watched.plain = job;
}

/**
 * Returns a snapshot of the first job of the cells, which was stopped right after its creation; undefined if no job was
 * created, or the job cannot be read.
 */
async function lookAtStopped(
  context: ScenarioContext,
  kind: JobKind,
  cells: readonly Probed<JobCell>[],
): Promise<JobSnapshot | undefined> {
  const jobs = context.jobs[kind];
  const [id] = cells.flatMap(({ exchange }) => (succeeded(exchange) ? (jobs.readId(exchange) ?? []) : []));
  if (id === undefined || unwatchableReason(context.target, kind) !== undefined) return undefined;
  return ifTestable(() => jobs.look(id));
}

/**
 * Selects cells by the seed: first one cell of each group, in the order of the group numbers, then further cells. An
 * accepted cell with modelParams shows its model as well.
 */
function draw(cells: readonly JobCell[], count: number, seed: number): JobCell[] {
  const groups = Map.groupBy(cells, ({ group }) => group);
  const leading = [...groups.keys()]
    .toSorted((a, b) => a - b)
    .flatMap((group) => sample(groups.get(group) ?? [], 1, seed))
    .slice(0, count);
  const others = cells.filter((cell) => !leading.includes(cell));
  return [...leading, ...sample(others, count - leading.length, seed)];
}

/**
 * Maximum number of jobs whose end was not seen. At this number, no further cell is sent, because each job may cost
 * money.
 */
const livingMax = 3;

interface SentCells {
  cells: readonly JobCell[];
  /** Returns a promise that is awaited before the first cell is sent. */
  meet?: (() => Promise<void>) | undefined;
  living: Living;
}

async function sendCells(
  context: ScenarioContext,
  kind: JobKind,
  { cells, meet, living }: SentCells,
): Promise<AcceptedJobs['cells']> {
  const { target, jobs } = context;
  const sent = await settleAll(
    cells.map((cell, index) =>
      context.live(async (): Promise<Probed<JobCell>[]> => {
        if (index === 0) await meet?.();
        if (living.count >= livingMax) return [];
        const body = { task: numberedTask(context, 0), ...(kind === 'run' ? runCeiling(target) : {}), ...cell.members };
        const { exchange, ended } = await retryWhileBusy(context, () => jobs[kind].trial(body));
        living.count += ended ? 0 : 1;
        return [{ cell, exchange }];
      }),
    ),
  );
  return sent.flat();
}
