import { defaultTarget } from '../core/default-target.ts';
import { allOperations, type OperationKey } from '../core/operations.ts';
import type { Generation, Target } from '../core/target.ts';

const existing = {
  profileId: '00000000-0000-4000-8000-000000000001',
  workspaceId: '00000000-0000-4000-8000-000000000002',
};

/** The model for which the fake service has no provider key or route. */
export const unroutedModel = 'gpt-5.5';

/**
 * Returns the member `operations` of a target that offers these documented operations, besides those that other members
 * of the target name.
 */
export function offering(offered: readonly OperationKey[]): Target['operations'] {
  const ofGeneration = (generation: Generation): Record<string, null> =>
    Object.fromEntries(
      allOperations
        .filter(({ key, generation: own }) => own === generation && !offered.includes(key))
        .map(({ id }) => [id, null]),
    );
  return { v2: ofGeneration('v2'), v3: ofGeneration('v3'), v4: ofGeneration('v4') };
}

/** Creates the target of a fake service: its test tasks, its control URL, and polling every millisecond. */
export function fakeTarget(url: string, change: Partial<Target> = {}): Target {
  const base = structuredClone(defaultTarget);
  return {
    ...base,
    url,
    keyPrefix: 'svc_',
    v3: base.v3 === null ? null : { ...base.v3, description: '/description', existing, unrouted: [unroutedModel] },
    // The fake service offers only the operations of the contract and of the members above.
    operations: null,
    ownKeys: ['google'],
    tasks: {
      // The task that reads a country costs three of the tasks to which most tests limit a run.
      country: null,
      succeed: 'svc-test: succeed',
      fail: 'svc-test: fail',
      slow: 'svc-test: slow 5',
      exceedCeiling: 'svc-test: exceed-ceiling',
      structured: 'svc-test: structured',
      code: 'svc-test: succeed',
      readFile: 'Read the file {file}',
      writeFile: "Write '{text}' to the file {file}",
    },
    control: `${url}/control`,
    checkers: { country: `${url}/checker`, countryIn: 'seen.country', addressIn: 'seen.ip' },
    polling: { intervalMs: 1, startDeadlineMs: 1000, taskDeadlineMs: 1500, settleDeadlineMs: 100 },
    ...change,
  };
}
