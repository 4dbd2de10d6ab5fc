import { taskStatus } from '#generated/states.ts';
import type { V2Step } from '../api/types.ts';
import { ownPath } from '../format.ts';
import type { Happening } from './timeline.tsx';

/** Returns whether a task with that status is waiting or running. */
export function isTaskWorking(status: string): boolean {
  return status === taskStatus.created || status === taskStatus.started;
}

/** Returns the text of a verdict on a task; null before the verdict. */
export function outcomeWords(isAchieved: boolean | null | undefined): string | null {
  if (isAchieved === null || isAchieved === undefined) return null;
  return isAchieved ? 'achieved' : 'not achieved';
}

/** Returns a step of a V2 task as an entry of the timeline, with the agent's stated intention. */
export function stepHappening(step: V2Step, lapse: string | null, renew: () => Promise<string | null>): Happening {
  const { number, memory, nextGoal, url } = step;
  const text = [memory, nextGoal].filter((said) => said !== '').join(' — ');
  const address = getPicture(step);
  return {
    key: number,
    mark: `Step ${number}`,
    lapse,
    text,
    url: /^https?:/.test(url) ? url : null,
    isMain: true,
    shot: address === null ? null : { address, name: `Picture of step ${number}: ${memory}`, renew },
  };
}

/** Returns the URL of a step's screenshot, relative to the console page; null without one. */
export function getPicture(step: V2Step | undefined): string | null {
  return step?.screenshotUrl ? ownPath(step.screenshotUrl, 2) : null;
}
