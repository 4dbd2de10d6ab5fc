import { type Command, InvalidArgumentError } from 'commander';
import { parseTrustedProxies } from '#api/http/connections/index.ts';
import { readAddress } from '../read-address.ts';
import type { ServeOptions } from './serve-options.ts';

/** What the flags about the running of `svc serve` are read to. */
export interface OperateFlags {
  readonly metrics?: { readonly host: string; readonly port: number };
  readonly shutdownSeconds: number;
  readonly trustProxy: string[];
}

const hour = 3_600;
/** Less than the ten seconds after which a container is killed by default. */
const shutdownSecondsDefault = 8;

/** Adds the flags for whoever keeps the service running. */
export function addOperateFlags(command: Command): Command {
  return command
    .option(
      '--metrics <address:port>',
      'open an address for Prometheus, which answers GET /metrics to everybody who reaches it',
      readAddress,
    )
    .option(
      '--shutdown-seconds <number>',
      'how long tasks may go on after SIGTERM, while nothing new is taken; 0 ends them at once',
      seconds,
      shutdownSecondsDefault,
    )
    .option(
      '--trust-proxy <address|cidr>',
      'a proxy in front whose X-Forwarded-For says whom a request comes from; all others are not believed (repeatable)',
      proxies,
      [],
    );
}

/** The options that those flags stand for. */
export function operateOptionsOf(flags: OperateFlags): Pick<ServeOptions, 'metrics' | 'shutdownMs' | 'trustProxy'> {
  const { metrics = null, shutdownSeconds, trustProxy } = flags;
  return { metrics, shutdownMs: shutdownSeconds * 1_000, trustProxy };
}

function proxies(text: string, earlier: string[]): string[] {
  const given = text.split(',').map((one) => one.trim());
  try {
    parseTrustedProxies(given);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(error.message);
    throw error;
  }
  return [...earlier, ...given];
}

function seconds(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= hour) return value;
  throw new InvalidArgumentError(`Expected a whole number from 0 to ${hour}.`);
}
