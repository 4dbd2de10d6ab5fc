import { rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { BrowserHost } from '#browsers/host.ts';
import { createAbsentHost, createLocalHost, createSimulatedHost, type ExitOptions } from '#browsers/index.ts';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { demandPlaywright } from '#browsers/launch/load-playwright.ts';
import { defaultLaunch, defaultProxyCountry } from '#contract/screen.ts';
import type { ServeOptions } from './serve-options.ts';

/** What a host is lent. */
interface HostDeps {
  readonly log: Logger;
  /** Resolves when warm browsers may start. */
  readonly readyFrom: Promise<void>;
}

/** What starts the browsers of a service: nothing where others do, nothing real where they are simulated. */
export async function createHost(
  options: ServeOptions,
  exits: ExitOptions,
  { log, readyFrom }: HostDeps,
): Promise<BrowserHost> {
  if (options.role === 'api') return createAbsentHost();
  if (options.hosts === 'simulated') return createSimulatedHost();
  await demandBrowsers(process.env);
  warnOfExits(exits, log);
  const directory = browsersFolder(options.dataFolder);
  const inside = join(resolve(options.dataFolder), 'browsers');
  const host = await createLocalHost({
    directory,
    ...(directory === inside ? {} : { formerDirectory: inside }),
    log,
    allow: options.allow,
    exits,
    bounds: options.bounds,
    pressureMax: options.pressureMax,
    warm: { size: options.warm, like: defaultLaunch, from: readyFrom },
  });
  return {
    ...host,
    async close() {
      await host.close();
      await removeIfEmpty(directory);
    },
  };
}

/**
 * Returns the folder of the browsers: inside the data folder, or beside it when root starts the service, because
 * browsers then run as another user without access to the data folder.
 */
export function browsersFolder(dataFolder: string): string {
  return process.getuid?.() === 0 ? `${resolve(dataFolder)}-browsers` : join(resolve(dataFolder), 'browsers');
}

/** What a browser left behind is found again at the next start. */
async function removeIfEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT') throw error;
  }
}

/**
 * Rejects with MissingPackage where real browsers could not be started for want of a package: said at the start of a service rather than by its
 * first task. A Chromium that the operator names is looked at when the first browser starts.
 */
async function demandBrowsers(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  await demandPlaywright();
  const named = environment['CHROMIUM_PATH'];
  if (named === undefined || named === '') await findChromium({ environment });
}

/** Where a warning goes. */
interface Log {
  warn(fields: object, message: string): void;
}

/** Says once, at the start, which countries are not what they seem; nothing where every one has an exit of its own. */
export function warnOfExits({ countries: { countries }, proxies, required }: ExitOptions, log: Log): void {
  const without = countries.map(({ code }) => code).filter((code) => !proxies.has(code));
  if (without.length === 0) return;
  if (!required)
    log.warn(
      { countries: without.length, of: countries.length },
      'browsers of countries without a proxy leave by the network of this machine: name proxies with --proxies, or refuse such countries with --require-proxy',
    );
  else if (without.includes(defaultProxyCountry))
    log.warn(
      { country: defaultProxyCountry },
      'no proxy leaves from the country of requests that name none: they are refused',
    );
}
