import type { Report } from '../core/report.ts';
import type { CheckClientOptions } from './check-client.ts';
import type { Observation, ObserveOptions } from './observe.ts';

export type { CheckClientOptions, OpenService, ServiceUnderClient } from './check-client.ts';
export type { Observation, ObserveOptions } from './observe.ts';
export { readClientToken } from './client-report.ts';
export { type ListedClientRule, explainClientRules, listClientRules } from './client-rules.ts';

/** Judges a program by the rules for clients. Rejects with SuiteError `usage` for an unknown word of `only`. */
export async function checkClient(options: CheckClientOptions): Promise<Report> {
  // Loaded at first use: the command line imports this file at every start.
  const module = await import('./check-client.ts');
  return module.checkClient(options);
}

/** Opens a proxy in front of a deployment that records and judges the requests of a client and changes none. */
export async function observeClient(options: ObserveOptions): Promise<Observation> {
  const module = await import('./observe.ts');
  return module.observeClient(options);
}
