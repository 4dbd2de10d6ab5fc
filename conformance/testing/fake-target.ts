import { defaultTarget } from '../harness/target/default-target.ts';
import type { Target } from '../harness/target/target.ts';

/** A target for a fake service: its test tasks, its control address, and polling without delay. */
export function fakeTarget(url: string, change: Partial<Target> = {}): Target {
  return {
    ...structuredClone(defaultTarget),
    url,
    tasks: {
      succeed: 'svc-test: succeed',
      fail: 'svc-test: fail',
      slow: 'svc-test: slow 5',
      exceedCeiling: 'svc-test: exceed-ceiling',
      structured: 'svc-test: structured',
      code: 'svc-test: succeed',
    },
    control: `${url}/control`,
    polling: { intervalMs: 1, startDeadlineMs: 500, taskDeadlineMs: 2000, settleDeadlineMs: 30 },
    ...change,
  };
}
