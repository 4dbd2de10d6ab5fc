import { rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { BrowserHost } from '#browsers/host.ts';
import { createAbsentHost, createLocalHost, createSimulatedHost, type ExitOptions } from '#browsers/index.ts';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { demandPlaywright } from '#browsers/launch/load-playwright.ts';
import { defaultLaunch, defaultProxyCountry } from '#contract/screen.ts';
import { hasCode } from '#lib/system-errors.ts';
import type { ServeOptions } from './serve-options.ts';

/** Dependencies of {@link createHost}. */
interface HostDeps {
  readonly log: Logger;
  /** Resolves when warm browsers may start. */
  readonly readyFrom: Promise<void>;
}

/**
 * Creates the browser host of a service. A process that only serves requests gets a host without browsers. Any other
 * process gets simulated browsers or Chromium.
 */
export async function createHost(
  options: ServeOptions,
  exits: ExitOptions,
  { log, readyFrom }: HostDeps,
): Promise<BrowserHost> {
  if (options.role === 'api') return createAbsentHost();
  if (options.hosts === 'simulated') return createSimulatedHost();
  await demandBrowsers(process.env);
  warnOfMissingProxies(exits, log);
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
 * Returns the folder for the files of browsers. It is inside the data folder, or next to it if root starts the service.
 * In the latter case, browsers run as another user without access to the data folder.
 */
export function browsersFolder(dataFolder: string): string {
  return process.getuid?.() === 0 ? `${resolve(dataFolder)}-browsers` : join(resolve(dataFolder), 'browsers');
}

/** Removes an empty folder. Files of a crashed browser stay and are found at the next start. */
async function removeIfEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY', 'ENOENT')) throw error;
  }
}

/**
 * Rejects when a package for real browsers or the bundled Chromium is missing, so that the service does not start. A
 * Chromium that CHROMIUM_PATH names is checked only when the first browser starts.
 */
async function demandBrowsers(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  await demandPlaywright();
  const named = environment['CHROMIUM_PATH'];
  if (named === undefined || named === '' || named === 'bundled') await findChromium({ environment });
}

/** A log for warnings. */
interface Log {
  warn(fields: object, message: string): void;
}

/**
 * Logs a warning if some countries have no proxy of their own. If `required` is set, logs a warning only if the default
 * country has no proxy.
 */
export function warnOfMissingProxies({ countries: { countries }, proxies, required }: ExitOptions, log: Log): void {
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
