import { rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { BrowserHost } from '#browsers/host.ts';
import { createAbsentHost, createLocalHost, createSimulatedHost, type ExitOptions } from '#browsers/index.ts';
import { findChromium } from '#browsers/launch/find-chromium.ts';
import { demandPlaywright } from '#browsers/launch/load-playwright.ts';
import { defaultLaunch, defaultProxyCountry } from '#contract/screen.ts';
import type { ServeOptions } from './serve-options.ts';

/** Dependencies of {@link createHost}. */
interface HostDeps {
  readonly log: Logger;
  /** Resolves when warm browsers may start. */
  readonly readyFrom: Promise<void>;
}

/**
 * Creates the browser host of a service: without browsers if workers run them, otherwise with simulated browsers or
 * Chromium.
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
 * Returns the folder of the browsers: inside the data folder, or next to it if root starts the service, because the
 * browsers then run as another user without access to the data folder.
 */
export function browsersFolder(dataFolder: string): string {
  return process.getuid?.() === 0 ? `${resolve(dataFolder)}-browsers` : join(resolve(dataFolder), 'browsers');
}

/** Removes an empty folder. Files of a crashed browser stay and are found at the next start. */
async function removeIfEmpty(directory: string): Promise<void> {
  try {
    await rmdir(directory);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT') throw error;
  }
}

/**
 * Rejects with MissingPackage when a package for real browsers is missing, so that the start of the service fails and
 * not its first task. A configured Chromium is checked when the first browser starts.
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
 * Logs a warning at the start for countries without a proxy of their own; nothing when all countries have a proxy. With
 * `required` it warns only if the default country has no proxy.
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
