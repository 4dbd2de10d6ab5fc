import { type JsonValue, memberAt } from './json.ts';
import type { ListTarget, OperationTarget, Target, TargetStates } from './target.ts';

/** Kind of a job that is created and then polled: a V2 task or a V4 run. */
export type JobKind = 'task' | 'run';

/** Meaning of the status of a task or run; `unknown` for a value that the target file does not list. */
export type Phase = keyof TargetStates | 'unknown';

/** Tasks or runs of a target: the facts of the contract and the additions of the target file. */
export interface JobTarget {
  kind: JobKind;
  generation: 'v2' | 'v4';
  creation: { operation: string; path: string };
  /** Dotted path of the id in the creation response. */
  idIn: string;
  /** Operation that fetches the whole record; null = not offered. */
  record: OperationTarget | null;
  /** Operation that fetches the status; null = not offered. */
  status: OperationTarget | null;
  statusIn: string;
  states: TargetStates;
  /** Dotted path of the task's output or the run's result in the record; null = not shown. */
  resultIn: string | null;
  /** Dotted path of the cost of a task or run in its record, a decimal string in US dollars; null = not shown. */
  costIn: string | null;
  stop: OperationTarget | null;
  list: ListTarget | null;
  /**
   * Members of the target file that describe the record, the stop operation and the status values, as named in reasons
   * of a report.
   */
  names: { record: string; stop: string; states: string };
  /** Operation ids of the documents, for the recording. */
  operations: { record: string; status: string; list: string; stop: string };
}

/**
 * Returns what the target file and the contract say about tasks or runs of a target; undefined if the target does not
 * offer their generation.
 */
export function jobTarget(target: Target, kind: JobKind): JobTarget | undefined {
  return kind === 'task' ? taskTarget(target) : runTarget(target);
}

/** Returns the meaning of the status in a response about a task or run; `unknown` for a missing or unlisted status. */
export function jobPhase(
  { statusIn, states }: Pick<JobTarget, 'statusIn' | 'states'>,
  json: JsonValue | undefined,
): Phase {
  const word = memberAt(json, statusIn);
  const phases = ['pending', 'completed', 'ended'] as const;
  return phases.find((phase) => typeof word === 'string' && states[phase].includes(word)) ?? 'unknown';
}

function taskTarget({ v2 }: Target): JobTarget | undefined {
  if (v2 === null) return undefined;
  const { idIn, statusIn, states, list } = v2;
  return {
    kind: 'task',
    generation: 'v2',
    creation: { operation: 'createTask', path: '/tasks' },
    idIn,
    record: v2.getTask,
    status: v2.taskStatus,
    statusIn,
    states,
    resultIn: v2.output,
    costIn: v2.cost,
    stop: v2.stopTask,
    list,
    names: { record: 'v2.getTask', stop: 'v2.stopTask', states: 'v2.states' },
    operations: { record: 'getTask', status: 'getTaskStatus', list: 'listTasks', stop: 'stopTask' },
  };
}

function runTarget({ v4 }: Target): JobTarget | undefined {
  if (v4 === null) return undefined;
  const { statusIn, states } = v4;
  return {
    kind: 'run',
    generation: 'v4',
    creation: { operation: 'createRun', path: '/runs' },
    // The contract shows the place of a run's id.
    idIn: 'id',
    record: v4.getRun,
    status: v4.runStatus,
    statusIn,
    states,
    resultIn: v4.result,
    costIn: v4.cost,
    stop: v4.cancelRun,
    list: v4.listRuns,
    names: { record: 'v4.getRun', stop: 'v4.cancelRun', states: 'v4.states' },
    operations: { record: 'getRun', status: 'getRunStatus', list: 'listRuns', stop: 'stopRun' },
  };
}

/**
 * Returns the reason why the suite cannot poll tasks or runs of a target: it does not offer their generation, or an
 * operation that fetches them. Undefined if the suite can poll them.
 */
export function unwatchableReason(target: Target, kind: JobKind): string | undefined {
  const job = jobTarget(target, kind);
  if (job === undefined) return `this target does not offer ${kind === 'task' ? 'V2' : 'V4'}`;
  if (job.record !== null || job.status !== null) return undefined;
  return `the target file names no operation that fetches a ${kind} (${job.names.record})`;
}

/**
 * Returns the reason why the suite cannot stop tasks or runs of a target. Undefined if it can stop them, and if the
 * target does not offer their generation.
 */
export function unstoppableReason(target: Target, kind: JobKind): string | undefined {
  const job = jobTarget(target, kind);
  if (job === undefined || job.stop !== null) return undefined;
  return `the target file names no operation that ends a ${kind} (${job.names.stop})`;
}

/**
 * Returns the reason why the suite can neither stop nor poll a task or run. Undefined if one of the two is possible,
 * for a stateless target, and if the target does not offer the generation of the job.
 */
export function unendableReason(target: Target, kind: JobKind): string | undefined {
  // A mock stores nothing, so no job needs an end.
  if (target.stateless || unwatchableReason(target, kind) === undefined) return undefined;
  return unstoppableReason(target, kind);
}
