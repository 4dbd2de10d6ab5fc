import { type Command, InvalidArgumentError } from 'commander';
import type { MailOptions } from '#api/create-backend.ts';
import { parseTrustedProxies } from '#api/http/client-address.ts';
import { readAddress, readPort, wholeNumber } from '../flag-values.ts';
import type { ServeOptions } from './serve-options.ts';

/** Values of the flags of `svc serve` for metrics, shutdown and trusted proxies. */
export interface OperateFlags {
  readonly metrics?: { readonly host: string; readonly port: number };
  readonly shutdownSeconds: number;
  readonly trustProxy: string[];
}

/** Upper limit of `--shutdown-seconds`: one hour. */
const hourSeconds = 3_600;
/**
 * Default time for running tasks to end during shutdown, in seconds. It is shorter than the ten seconds after which
 * container runtimes kill a process by default.
 */
const shutdownSecondsDefault = 8;

/** Adds the flags for metrics, shutdown and trusted proxies. */
export function addOperateFlags(command: Command): Command {
  return command
    .option('--metrics <address:port>', 'address for Prometheus, which answers GET /metrics without a key', readAddress)
    .option(
      '--shutdown-seconds <number>',
      'time for running tasks after SIGTERM, while new ones are refused; 0 ends them at once',
      wholeNumber(0, hourSeconds),
      shutdownSecondsDefault,
    )
    .option(
      '--trust-proxy <address|cidr>',
      'reverse proxy whose X-Forwarded-For is trusted for the client address (repeatable)',
      proxies,
      [],
    );
}

/** Converts the flags for metrics, shutdown and trusted proxies to options. */
export function readOperateOptions(flags: OperateFlags): Pick<ServeOptions, 'metrics' | 'shutdownMs' | 'trustProxy'> {
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

/** Values of the mail flags of `svc serve`. */
export interface MailFlags {
  /** Whether the service has mail; false with `--no-mail`. */
  readonly mail: boolean;
  readonly mailHost: string;
  readonly mailPort: number;
  readonly mailDomain: string;
}

/** Adds the mail flags. */
export function addMailFlags(command: Command): Command {
  return command
    .option('--mail-host <address>', 'address of the mail server for mailboxes of sessions', '127.0.0.1')
    .option('--mail-port <number>', 'port of the mail server; 0 takes a free one', readPort, 0)
    .option(
      '--mail-domain <domain>',
      'domain of mailboxes; mail from outside needs an MX record that points here',
      domain,
      'inbox.localhost',
    )
    .option('--no-mail', 'no mail server, and no mailboxes for sessions');
}

/** Converts the mail flags to options; null without mail. */
export function readMailOptions({ mail, mailHost, mailPort, mailDomain }: MailFlags): MailOptions | null {
  return mail ? { host: mailHost, port: mailPort, domain: mailDomain } : null;
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
// oxlint-disable-next-line svc/no-dynamic-pattern -- all parts are literals of this file
const domainForm = new RegExp(`^${label}(?:\\.${label})+$`);

function domain(text: string): string {
  const given = text.toLowerCase();
  if (domainForm.test(given) && given.length <= 200) return given;
  throw new InvalidArgumentError('Expected a domain such as mail.example.com.');
}

/** Values of the trace flags of `svc serve`. */
export interface TracesFlags {
  readonly traces?: string;
  readonly tracesName: string;
  /** Share of recorded traces in percent. */
  readonly tracesShare: number;
}

const whole = 100;

/** Standard environment variables of OpenTelemetry by the trace flag that they can set. */
export const tracesVariables = { traces: 'OTEL_EXPORTER_OTLP_ENDPOINT', 'traces-name': 'OTEL_SERVICE_NAME' } as const;

/** Adds the trace flags. */
export function addTraceFlags(command: Command): Command {
  return command
    .option(
      '--traces <url>',
      'URL of an OpenTelemetry collector (OTLP over HTTP), such as http://127.0.0.1:4318 (default: no traces)',
      collector,
    )
    .option('--traces-name <name>', 'name of the service in traces', 'svc')
    .option('--traces-share <percent>', 'percentage of traces that are sent', percent, whole);
}

/** Converts the trace flags to options. */
export function readTraceOptions({ traces, tracesName, tracesShare }: TracesFlags): Pick<ServeOptions, 'traces'> {
  return { traces: traces === undefined ? null : { url: traces, name: tracesName, share: tracesShare / whole } };
}

function collector(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError(expected);
  const { protocol, username, search, hash } = new URL(text);
  if (/^https?:$/.test(protocol) && username === '' && search === '' && hash === '') return text;
  throw new InvalidArgumentError(expected);
}

const expected =
  'Expected an address that starts with http:// or https://, without a name or query; what a collector wants to see stands in OTEL_EXPORTER_OTLP_HEADERS.';

function percent(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= whole) return value;
  throw new InvalidArgumentError(`Expected a number from 0 to ${whole}.`);
}
