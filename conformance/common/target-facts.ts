import type { CheckContext } from '../core/check.ts';
import { isStamped } from '../transport/stamp.ts';
import { defaultTarget } from '../core/default-target.ts';
import type { Target, TargetPolling, TargetTasks } from '../core/target.ts';

/** True when the target file gives a goal of its own, so that its author knows how the goal ends. */
export function isOwnTask({ tasks }: Target, task: keyof TargetTasks): boolean {
  const [goal, usual] = [tasks[task], defaultTarget.tasks[task]];
  return goal !== null && (usual === null || !isStamped(goal, usual));
}

/** Ends the check where the target file says that there is no browser behind an address. */
export function asDrivable(t: CheckContext): void {
  if (t.target.v4?.browsers?.drivable !== false) return;
  t.notTestable('the target file says that its browsers are simulated (v4.browsers.drivable)');
}

const kinds = ['succeed', 'fail', 'slow', 'exceedCeiling', 'structured', 'code'] as const;

/** True when the tester controls the target, so that a deadline of the suite says something about the target. */
export function isControlled(target: Target): boolean {
  return target.control !== null || kinds.some((task) => isOwnTask(target, task));
}

/** Ends the check where a deadline of ours passed that the contract does not state; returns on a controlled target. */
export function deadlinePassed(t: CheckContext, deadline: keyof TargetPolling): void {
  if (isControlled(t.target)) return;
  t.notTestable(`nothing was seen within ${t.target.polling[deadline]} ms (polling.${deadline} of the target file)`);
}
