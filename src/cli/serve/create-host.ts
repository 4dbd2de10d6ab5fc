import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { type ExitOptions, createAbsentHost, createLocalHost, createSimulatedHost } from '#backend/browsers/index.ts';
import type { BrowserHost } from '#backend/browsers/host.ts';
import { defaultLaunch } from '#backend/shared/defaults.ts';
import { demandBrowsers } from './demand-browsers.ts';
import type { ServeOptions } from './serve-options.ts';
import { warnOfExits } from './warn-of-exits.ts';

/** What a host is lent. */
interface HostParts {
  readonly log: Logger;
  /** Settles when browsers may be started that nobody waits for. */
  readonly readyFrom: Promise<void>;
}

/** What starts the browsers of a service: nothing where others do, nothing real where they are simulated. */
export async function createHost(
  options: ServeOptions,
  exits: ExitOptions,
  { log, readyFrom }: HostParts,
): Promise<BrowserHost> {
  if (options.role === 'api') return createAbsentHost();
  if (options.hosts === 'simulated') return createSimulatedHost();
  await demandBrowsers(process.env);
  warnOfExits(exits, log);
  const directory = join(resolve(options.dataFolder), 'browsers');
  return createLocalHost({
    directory,
    log,
    allow: options.allow,
    exits,
    bounds: options.bounds,
    pressureMax: options.pressureMax,
    warm: { size: options.warm, like: defaultLaunch, from: readyFrom },
  });
}
