import type { V2Step } from '../api/types.ts';
import { ownPath } from '../format/own-path.ts';
import type { Happening } from '../tasks/timeline.tsx';

/** A step of a V2 task as something that happened, with what the agent said that it wants. */
export function stepHappening(step: V2Step, lapse: string | null, renew: () => Promise<string | null>): Happening {
  const { number, memory, nextGoal, url } = step;
  const text = [memory, nextGoal].filter((said) => said !== '').join(' — ');
  const address = pictureOf(step);
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

/** Where the picture of a step is, below the page; null for a step without one. */
export function pictureOf(step: V2Step | undefined): string | null {
  return step?.screenshotUrl ? ownPath(step.screenshotUrl, 2) : null;
}
