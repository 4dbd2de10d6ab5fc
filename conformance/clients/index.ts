import type { Report } from '../core/report.ts';
import type { CheckClientOptions } from './check-client.ts';
import type { Observation, ObserveOptions } from './observe.ts';

export type { CheckClientOptions, OpenService, ServiceUnderClient } from './check-client.ts';
export type { Observation, ObserveOptions } from './observe.ts';
export { readClientToken } from './client-token.ts';
export { type ListedClientRule, explainClientRules, listClientRules } from './client-rules.ts';

/** Judges a program by the rules for clients. Rejects with SuiteError `usage` for an unknown word of `only`. */
export async function checkClient(options: CheckClientOptions): Promise<Report> {
  // Servers and processes are loaded for the runs that need them.
  const module = await import('./check-client.ts');
  return module.checkClient(options);
}

/** Opens a proxy in front of a deployment, which records and judges what a client sends, and changes nothing. */
export async function observeClient(options: ObserveOptions): Promise<Observation> {
  const module = await import('./observe.ts');
  return module.observeClient(options);
}
