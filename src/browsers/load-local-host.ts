import type { LocalHost, LocalHostOptions } from './local-host.ts';

/** As `createLocalHost` of `local-host.ts`, which is loaded only where browsers are real: it brings egress, proxies and profiles. */
export async function createLocalHost(options: LocalHostOptions): Promise<LocalHost> {
  const local = await import('./local-host.ts');
  return local.createLocalHost(options);
}
