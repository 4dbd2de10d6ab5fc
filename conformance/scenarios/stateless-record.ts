import type { Scenario } from '../harness/scenario.ts';
import { createRandom, randomUuid } from '../harness/random.ts';
import { type Observation, fetchSession } from './observed-session.ts';

/** The record that a mock answers with, whatever the id. */
export const statelessRecord: Scenario<Observation> = {
  name: 'stateless-record',
  creates: 'nothing: a session record of the mock is fetched',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  drive: (drive) => fetchSession(drive, randomUuid(createRandom(drive.seed))),
};
