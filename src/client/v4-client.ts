import { clientFacts } from '#generated/client-facts.ts';
import type { components, operations, paths } from '#generated/v4.ts';
import { type Calls, type Connection, createCalls, type Pause } from './calls.ts';
import { signalled, type WaitOptions, waitUntil } from './wait-until.ts';
import { ClientFault } from './errors.ts';

type Schemas = components['schemas'];

/** A run in a V4 response. */
export type Run = Schemas['Run'];

/** Body of `POST /runs` with the restrictions that the contract sets for client libraries. */
export type CreateRun = Omit<Schemas['CreateRun'], 'model' | 'browserSettings'> & {
  /**
   * The model, which client libraries must require (contract 4 V4 POST runs). Also accepts names that are newer than
   * this client (contract 9 Versioning 6).
   */
  model: Schemas['V4Model'] | (string & {});
  /**
   * Browser settings, in which the country is required: `us` is the default of the service, null disables the managed
   * proxy (contract 9 Versioning 7).
   */
  browserSettings?:
    | (Omit<Schemas['RunBrowserSettings'], 'proxyCountryCode'> & {
        proxyCountryCode: Schemas['ProxyCountryCode'] | null;
      })
    | null;
};

type CreateRunOperation = Omit<operations['createRun'], 'requestBody'> & {
  requestBody: { content: { 'application/json': CreateRun } };
};

/** The paths of V4 with the body type {@link CreateRun}. */
type ClientPaths = Omit<paths, '/runs'> & { '/runs': Omit<paths['/runs'], 'post'> & { post: CreateRunOperation } };

/** The client of V4. */
export interface V4Client extends Calls<ClientPaths> {
  /**
   * Polls the status of a run until it has ended, then returns the run. Rejects with WaitTimeout when the run has not
   * ended within the timeout.
   */
  waitForRun(id: string, options?: WaitOptions): Promise<Run>;
}

const timeoutMs = 14_400_000;

/** Creates the client of V4. */
export function createV4Client(connection: Connection, pause: Pause): V4Client {
  const calls = createCalls<ClientPaths>(connection, 'v4', demandCountry);
  return {
    ...calls,
    async waitForRun(id, options) {
      const params = { path: { run_id: id } };
      const read = (signal: AbortSignal | undefined): Promise<Schemas['RunState']> =>
        calls.GET('/runs/{run_id}/status', { params, ...signalled(signal) });
      await waitUntil({ what: `run ${id}`, read, terminal: clientFacts.terminal.run }, { pause, timeoutMs }, options);
      return calls.GET('/runs/{run_id}', { params, ...signalled(options?.signal) });
    },
  };
}

/**
 * Throws ClientFault for a body whose browserSettings lack a country. The contract demands that client libraries
 * require the country (contract 9 Versioning 7).
 */
function demandCountry(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('browserSettings' in body)) return;
  const { browserSettings } = body;
  if (typeof browserSettings !== 'object' || browserSettings === null) return;
  if ('proxyCountryCode' in browserSettings && browserSettings.proxyCountryCode !== undefined) return;
  throw new ClientFault(
    "found browserSettings without proxyCountryCode, expected one: 'us' keeps the default, null disables the managed proxy",
  );
}
