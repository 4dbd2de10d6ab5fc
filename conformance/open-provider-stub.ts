import { SuiteError } from './harness/suite-error.ts';
import type { TargetProviderStub } from './harness/target/target.ts';
import { placeOf, startProviderStub } from './provider-stub/index.ts';

/** Opens the provider stub of a run; whoever opens it closes it. */
export type OpenStub = (stub: TargetProviderStub) => Promise<{ close(): Promise<void> }>;

/** Starts a provider stub where the target file says. Throws SuiteError `usage` when nobody can listen there. */
export const openProviderStub: OpenStub = async ({ listen, reply, ownKeyEndings }) => {
  try {
    return await startProviderStub({ ...placeOf(listen), script: reply, ownKeyEndings });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new SuiteError('usage', {
      found: `${String(error.code)} at the address ${listen} of the provider stub (providerStub.listen)`,
      expected: 'an address of this machine that is free',
      next: 'end what listens there, or name another port here and in the configuration of the target',
    });
  }
};
