import { type Command, InvalidArgumentError } from 'commander';
import type { ServeOptions } from './serve-options.ts';

/** What the flags about traces of `svc serve` are read to. */
export interface TracesFlags {
  readonly traces?: string;
  readonly tracesName: string;
  /** Percent. */
  readonly tracesShare: number;
}

const whole = 100;

/** The variables by which every program with OpenTelemetry is told the same. */
export const tracesVariables = { traces: 'OTEL_EXPORTER_OTLP_ENDPOINT', 'traces-name': 'OTEL_SERVICE_NAME' } as const;

/** Adds the flags that say where traces go. */
export function addTraceFlags(command: Command): Command {
  return command
    .option(
      '--traces <url>',
      'send traces to an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318 (default: none)',
      collector,
    )
    .option('--traces-name <name>', 'what the service is called there', 'svc')
    .option('--traces-share <percent>', 'of how many traces in a hundred one is sent', percent, whole);
}

/** The options that those flags stand for. */
export function traceOptionsOf({ traces, tracesName, tracesShare }: TracesFlags): Pick<ServeOptions, 'traces'> {
  return { traces: traces === undefined ? null : { url: traces, name: tracesName, share: tracesShare / whole } };
}

function collector(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError(EXPECTED);
  const { protocol, username, search, hash } = new URL(text);
  if (/^https?:$/.test(protocol) && username === '' && search === '' && hash === '') return text;
  throw new InvalidArgumentError(EXPECTED);
}

const EXPECTED =
  'Expected an address that starts with http:// or https://, without a name or query; what a collector wants to see stands in OTEL_EXPORTER_OTLP_HEADERS.';

function percent(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= whole) return value;
  throw new InvalidArgumentError(`Expected a number from 0 to ${whole}.`);
}
