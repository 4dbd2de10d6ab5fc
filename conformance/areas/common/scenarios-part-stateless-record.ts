import { createRandom, randomUuid } from '../../core/random.ts';
import type { Scenario } from '../../core/scenario.ts';
import { type Observation, fetchSession } from './scenarios-part-observed-session.ts';

/** Reads a session that a mock lists; of a mock that lists none, the record with any id. */
export const statelessRecord: Scenario<Observation> = {
  name: 'stateless-record',
  creates: 'nothing: a session record of the mock is fetched',
  spend: 'none',
  dispatches: 0,
  stateful: false,
  async drive(drive) {
    const [listed] = (await drive.sessions.listIds()) ?? [];
    return fetchSession(drive, listed ?? randomUuid(createRandom(drive.seed)));
  },
};
