import type { CheckContext } from '../core/check.ts';
import { isStamped } from '../transport/stamp.ts';
import { defaultTarget } from '../core/default-target.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { Target, TargetTasks } from '../core/target.ts';

/**
 * Returns true when the target file defines its own text for a task. The author of the target file knows the outcome of
 * such a task.
 */
export function isOwnTask({ tasks }: Target, task: keyof TargetTasks): boolean {
  const [goal, usual] = [tasks[task], defaultTarget.tasks[task]];
  return goal !== null && (usual === null || !isStamped(goal, usual));
}

/**
 * A text of 566 characters that consists mostly of long words. If a target shortens an answer that ends with this text,
 * the cut is most likely inside a word.
 */
const longWords = [
  'international communication engineering department publishes comprehensive documentation',
  'describing experimental measurements throughout mountainous neighbourhoods surrounding metropolitan',
  'administration headquarters although representatives occasionally misunderstand contradictory',
  'recommendations concerning environmental responsibilities, pharmaceutical manufacturers, agricultural',
  'cooperatives, transportation infrastructure, telecommunications, bibliographical information, mathematical',
  'demonstrations, philosophical interpretations, extraordinary circumstances',
].join(' ');

/**
 * Returns a task text that asks for an answer of more than 512 bytes. Returns the text unchanged if the target file
 * defines the succeeding task itself: the agent may understand only that text.
 */
export function withLongAnswer(target: Target, task: string): string {
  return isOwnTask(target, 'succeed') ? task : `${task} End your answer with exactly these words: ${longWords}`;
}

/** Ends the check as not testable if the target file states that its CDP URLs open no browser. */
export function requireDrivable(t: CheckContext): void {
  if (t.target.v4?.browsers?.drivable !== false) return;
  t.notTestable('the target file says that its browsers are simulated (v4.browsers.drivable)');
}

const kinds = ['succeed', 'fail', 'slow', 'exceedCeiling', 'structured', 'code'] as const;

/**
 * Returns true for a controlled target: the target file names a control URL, or defines the text of a task itself. An
 * expired deadline of the suite is then a fault of the target.
 */
export function isControlled(target: Target): boolean {
  return target.control !== null || kinds.some((task) => isOwnTask(target, task));
}

/**
 * Ends the check as not testable after an expired deadline for a start or a task, because the contract does not state
 * how long an agent may work. Does nothing for a controlled target.
 */
export function deadlinePassed(t: CheckContext, deadline: 'startDeadlineMs' | 'taskDeadlineMs'): void {
  if (isControlled(t.target)) return;
  t.notTestable(`nothing was seen within ${t.target.polling[deadline]} ms (polling.${deadline} of the target file)`);
}

/**
 * Reads until the effect of an earlier request is visible (`isSettled`), or the settle deadline of the target has
 * passed. Reads at least once, pauses between two reads, and returns the last result.
 */
export async function readSettled<T>(
  { target, nowMs, pause }: Pick<ScenarioContext, 'target' | 'nowMs' | 'pause'>,
  read: () => Promise<T>,
  isSettled: (seen: T) => boolean,
): Promise<T> {
  const deadline = nowMs() + target.polling.settleDeadlineMs;
  let seen = await read();
  while (!isSettled(seen) && nowMs() < deadline) {
    await pause(target.polling.intervalMs);
    seen = await read();
  }
  return seen;
}

/**
 * Returns the end of a message about an effect that did not become visible: how long the suite waited, and the setting
 * of the target file for a slower deployment.
 */
export function settleWait({ target }: Pick<CheckContext, 'target'>): string {
  return `; the suite waited ${target.polling.settleDeadlineMs} ms (polling.settleDeadlineMs)`;
}
