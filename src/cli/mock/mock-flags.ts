import { type Command, InvalidArgumentError, Option } from 'commander';
import { mock } from '#generated/rules.ts';
import { readCount, readLoopback, readPort, wholeNumber } from '../flag-values.ts';

/** Values of the flags of `svc mock`. */
export interface MockFlags {
  readonly port: number;
  readonly host: string;
  readonly apiKey: string;
  readonly dynamic: boolean;
  readonly stateful: boolean;
  readonly speed?: number;
  readonly sessionsMax?: number;
  readonly control?: { readonly host: string; readonly port: number };
  readonly replay?: string;
  readonly latency?: readonly [number, number];
  readonly faultRate: number;
  readonly seed: number;
  readonly verbose: boolean;
}

/** Adds the flags of `svc mock`. */
export function addMockFlags(command: Command): Command {
  return command
    .option('--port <number>', 'port to listen on; 0 takes a free one', readPort, 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--api-key <key>', 'API key that requests have to carry', readKey, 'svc_mock')
    .option('--stateful', 'keep resources; sessions change their states, with simulated browsers', false)
    .addOption(
      new Option('--speed <times>', 'with --stateful: factor by which its clock runs faster (default: 1)').argParser(
        speed,
      ),
    )
    .addOption(
      new Option(
        '--sessions-max <count>',
        'with --stateful: maximum number of living sandboxes; more are refused with 429 (default: 25)',
      ).argParser(readCount),
    )
    .addOption(
      new Option(
        '--control <address:port>',
        'with --stateful: loopback address for tests, which moves the clock, injects faults and resets the mock',
      ).argParser(readLoopback),
    )
    .addOption(
      new Option('--dynamic', 'draw answers from the schemas instead of the examples')
        .default(false)
        .conflicts('stateful'),
    )
    .addOption(
      new Option(
        '--replay <file>',
        'answer from a recording: a HAR of `svc check --report har=FILE` or of a browser',
      ).conflicts(['stateful', 'dynamic']),
    )
    .option('--latency <min-max>', 'delay of every answer in milliseconds, for example 50-300', range)
    .option('--fault-rate <share>', 'share of the valid requests that get 500, from 0 to 1', share, 0)
    .option('--seed <number>', 'seed of ids, work, dynamic answers, delays and faults', wholeNumber(0), 1)
    .option('--verbose', 'write one line per request to standard error', false);
}

/** Parses a key that a header can carry. Throws an InvalidArgumentError for anything else. */
function readKey(text: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a key of printable characters, without spaces at its ends.');
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('Expected a number from 0 to 1.');
}

function speed(text: string): number {
  const { least, most } = mock.speed;
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`Expected a number from ${least} to ${most}, for example 10.`);
}

function range(text: string): readonly [number, number] {
  const match = /^(\d{1,6})-(\d{1,6})$/.exec(text);
  const [min, max] = [Number(match?.[1]), Number(match?.[2])];
  if (min <= max) return [min, max];
  throw new InvalidArgumentError('Expected MIN-MAX in milliseconds, for example 50-300.');
}

/** Options of a mock. */
export interface MockOptions {
  readonly port: number;
  readonly host: string;
  /** The only accepted API key. */
  readonly apiKey: string;
  readonly seed: number;
  /** Range of the delay of each response in milliseconds, both bounds included; null for no delay. */
  readonly latencyMs: readonly [min: number, max: number] | null;
  /** Share of the valid requests that get an internal error, 0 to 1. */
  readonly faultRate: number;
  readonly logLevel: string;
}

/** Options of a stateful mock. */
export interface StatefulOptions extends MockOptions {
  /** Speed of the mock's clock relative to real time. */
  readonly speed: number;
  /** Maximum number of active sandboxes. */
  readonly sessionsMax: number;
  /** Address of the control server; null without one. */
  readonly control: { readonly host: string; readonly port: number } | null;
}

/** Defaults of the stateful mock. */
export const statefulDefaults = { speed: 1, sessionsMax: 25 } as const;

/** A running mock. */
export interface StartedMock {
  readonly address: string;
  /** URL of the control server; null without one. */
  readonly controlAddress: string | null;
  /** Closes the mock and everything that it opened. */
  close(): Promise<void>;
}
