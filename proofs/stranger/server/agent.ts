/**
 * The simulated agent: a task takes some tens of milliseconds, counts steps and tokens, and has an outcome.
 * The words of a task decide what happens; see `planFor`.
 */
import { createHash } from 'node:crypto';
import { later, type Meters, type Work, type World } from './world.ts';

/** Planned steps and outcome of a task. */
export interface Plan {
  /** Number of steps; Infinity for a task that only ends when it is stopped. */
  readonly steps: number;
  readonly stepMs: number;
  readonly achieves: boolean;
  /** Extra cost of each step, in millionths of a dollar. */
  readonly extraPerStep: number;
}

/** Callbacks that receive the progress of a task. */
export interface Sink {
  /** Called for each step with its number, from 1. If it returns false, the work ends without a call of `end`. */
  readonly step: (number: number) => boolean;
  readonly end: () => void;
}

/** Returns the plan of a task: its steps and outcome, derived from its text. */
export function planFor(task: string): Plan {
  const random = createHash('sha256').update(task).digest()[0] ?? 0;
  if (/until I stop you/i.test(task)) return { steps: Infinity, stepMs: 50, achieves: true, extraPerStep: 0 };
  if (/spend without end/i.test(task)) return { steps: Infinity, stepMs: 15, achieves: true, extraPerStep: 9000 };
  const steps = 2 + (random % 3);
  return { steps, stepMs: 20 + (random % 40), achieves: !/give up/i.test(task), extraPerStep: 0 };
}

/** Starts a task, reports each step to the callbacks, and returns a handle that stops it. */
export function startWork(world: World, plan: Plan, sink: Sink): Work {
  let cancel: () => void;
  let isStopped = false;
  const advance = (number: number): void => {
    if (isStopped) return;
    if (number > plan.steps) {
      sink.end();
      return;
    }
    if (sink.step(number)) cancel = later(world, plan.stepMs, () => advance(number + 1));
  };
  cancel = later(world, plan.stepMs, () => advance(1));
  return {
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

/** Adds the usage of one step to the meters of a task. A task without a proxy has no proxy traffic. */
export function meterStep(meters: Meters, plan: Plan, isProxied = true): void {
  meters.inputTokens += 410;
  meters.outputTokens += 57;
  if (isProxied) meters.proxyKilobytes += 13;
  meters.browserMs += plan.stepMs;
  meters.extra += plan.extraPerStep;
}

const remarks = [
  'Looked at the page',
  'Compared the entries',
  'Checked the details',
  'Went one page further',
  'Wrote it down',
];

/** Returns a sentence about one step. */
export function describeStep(number: number): string {
  return `${remarks[number % remarks.length] ?? 'Went on'} (step ${number}).`;
}

/** Returns the text of a task's answer. */
export function answerFor(task: string, achieved: boolean): string {
  const tail = task.replaceAll(/\s+/g, ' ').trim().slice(0, 80);
  return achieved ? `Ready. This was done: ${tail}` : `Not done, nothing was found: ${tail}`;
}

/** Returns a short title of a task. */
export function titleFor(task: string): string {
  return task.trim().split(/\s+/).slice(0, 5).join(' ').slice(0, 60) || 'Untitled';
}
