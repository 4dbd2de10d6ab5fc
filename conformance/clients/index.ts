import type { Report } from '../core/report.ts';
import type { CheckClientOptions } from './check-client.ts';
import type { Observation, ObserveOptions } from './observe.ts';

export type { CheckClientOptions, OpenService, ServiceUnderClient } from './check-client.ts';
export type { Observation, ObserveOptions } from './observe.ts';
export { readClientToken } from './client-report.ts';
export { type ListedClientRule, explainClientRules, listClientRules } from './client-rules.ts';

/**
 * Runs a client program and judges it by the rules for clients. Rejects with SuiteError `usage` if `only` contains an
 * unknown id or name, if the program cannot be started, or if the program fails in every trial without sending a
 * request.
 */
export async function checkClient(options: CheckClientOptions): Promise<Report> {
  // Loaded at first use: the command line imports this file at every start.
  const module = await import('./check-client.ts');
  return module.checkClient(options);
}

/**
 * Opens a proxy in front of a deployment. The proxy records and judges the requests of a client and forwards them
 * unchanged.
 */
export async function observeClient(options: ObserveOptions): Promise<Observation> {
  const module = await import('./observe.ts');
  return module.observeClient(options);
}
