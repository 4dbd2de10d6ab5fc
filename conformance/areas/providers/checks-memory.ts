import { type Check, check, type CheckContext } from '../../core/check.ts';
import type { ProviderCall } from '../../core/provider-call.ts';
import { providerMemory, providerSecret, type RememberedTasks } from './scenarios-memory.ts';

/**
 * Checks of the provider requests of V2 and V3 tasks: the content of earlier tasks, and the values of sensitive data.
 */
export const providerMemoryChecks: readonly Check[] = [
  check('PROVIDER-02', { needs: [providerMemory] }, async (t) => {
    const session = await findSession(t, true);
    t.expect(shared(session).length > 0, {
      exchange: session.record,
      message:
        'no request for the second task of a V2 session with persistMemory true contains anything of the first; expected that the tasks share history',
    });
  }),
  check('PROVIDER-03', { needs: [providerMemory] }, async (t) => {
    const session = await findSession(t, false);
    t.expect(shared(session).length === 0, {
      exchange: session.record,
      message: `${shared(session).length} requests for the second task of a V2 session with persistMemory false contain the first task; expected none`,
    });
  }),
  check('PROVIDER-04', { needs: [providerSecret] }, async (t) => {
    const { calls, shown, record } = await t.recording(providerSecret);
    if (calls.length === 0) t.notTestable(nothingReached);
    t.expect(shown.length === 0, {
      exchange: record,
      message: `${shown.length} requests to a model provider contain the value of sensitiveData; expected none`,
    });
  }),
];

const nothingReached =
  'no request of the tasks reached the provider stub: the target has to call it as its provider of models';

/**
 * Returns the recorded session with this value of `persistMemory`. Ends the check as not testable if one of its two
 * tasks reached no provider.
 */
async function findSession(t: CheckContext, persistMemory: boolean): Promise<RememberedTasks> {
  const { sessions } = await t.recording(providerMemory);
  const session = sessions.find((one) => one.persistMemory === persistMemory);
  const hasReached = session !== undefined && session.first.length > 0 && session.second.length > 0;
  return hasReached ? session : t.notTestable(nothingReached);
}

/** Returns the requests for the second task that also contain the first task or the stub's answer to it. */
function shared({ first, second }: RememberedTasks): readonly ProviderCall[] {
  const indexes = new Set(first.map(({ index }) => index));
  return second.filter(({ index }) => indexes.has(index));
}
