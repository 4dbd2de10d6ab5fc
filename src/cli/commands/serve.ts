import { Command, InvalidArgumentError, Option } from 'commander';
import { type BlobFolder, type S3Address, parseBlobFolder, parseS3Address } from '#store/storage-addresses.ts';
import { exitCodes, waitForSignal } from '../process-end.ts';
import { withConfiguration } from '../configuration/with-configuration.ts';
import { readCount, readLoopback, readPort } from '../flag-values.ts';
import { withWaitMessage } from '../with-wait-message.ts';
import {
  addMailFlags,
  addOperateFlags,
  addTraceFlags,
  type MailFlags,
  readMailOptions,
  type OperateFlags,
  readOperateOptions,
  readTraceOptions,
  type TracesFlags,
  tracesVariables,
} from '../serve/operation-flags.ts';
import { addBrowserFlags, type BrowserFlags, readBrowserOptions } from '../serve/browser-flags.ts';
import {
  addLimitFlags,
  addScaleFlags,
  addStorageFlags,
  type LimitFlags,
  readLimitOptions,
  type ScaleFlags,
  readScaleOptions,
  type StorageFlags,
  readStorageOptions,
} from '../serve/storage-flags.ts';
import type { ServeOptions } from '../serve/serve-options.ts';

/** Creates `svc serve`, the reference backend. */
export function serveCommand(): Command {
  const parts = [
    addMainFlags,
    addLimitFlags,
    addBrowserFlags,
    addMailFlags,
    addStorageFlags,
    addScaleFlags,
    addOperateFlags,
    addTraceFlags,
  ];
  const command = parts.reduce((made, add) => add(made), new Command('serve'));
  return withConfiguration<Flags>(command, {
    run: serve,
    secrets: ['bootstrap-key', 'database'],
    elsewhere: tracesVariables,
  });
}

function addMainFlags(command: Command): Command {
  return command
    .description('Run the reference backend: the service itself, with real browsers and an agent.')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes a free one', readPort, 8080)
    .option(
      '--public-url <url>',
      'every address that is handed out starts with it (default: the address that is listened on)',
      httpUrl,
    )
    .option('--data <folder>', 'where state, pictures and secrets are kept', '.svc/data')
    .option(
      '--blobs <address>',
      'where pictures and files are kept: s3://bucket/prefix?endpoint=URL&region=NAME, with the credentials of the AWS tools, or file:///folder (default: files below --data)',
      bucket,
    )
    .addOption(new Option('--hosts <kind>', 'what browsers are').choices(['local', 'simulated']).default('local'))
    .option(
      '--bootstrap-key <key>',
      'an API key that gets a project of its own (repeatable; without any, one is made and printed once)',
      collect,
      [],
    )
    .option(
      '--control <address:port>',
      'open the control address for tests, on this machine alone: moves the clock, injects faults, allows test tasks',
      readLoopback,
    )
    .option(
      '--allow <host:port|cidr>',
      'an address that pages may reach although it is not public (repeatable)',
      collect,
      [],
    )
    .option(
      '--providers <file>',
      'model providers with their keys and addresses, as YAML (docs/guides/providers.md; default: the usual variables of the environment, such as OPENAI_API_KEY)',
    )
    .option(
      '--skills <folder>',
      'instruction packages for agents with a model: a folder of each with a SKILL.md (docs/guides/skills.md)',
    )
    .option(
      '--integrations <file>',
      'MCP servers whose tools agents with a model can call, as YAML (docs/guides/integrations.md)',
    )
    .option(
      '--require-provider',
      'refuse a model that no provider serves with 422; without it the offline planner works on its tasks',
    )
    .option(
      '--retention <days|file>',
      'what is old goes, never what something refers to: days for everything, or days by kind as YAML (docs/guides/run.md; default: everything stays)',
    )
    .option('--verify-every <n>', 'check every n-th answer against its document', readCount, 20)
    .addOption(
      new Option('--log-level <level>', 'what is logged to standard error')
        .choices(['silent', 'error', 'warn', 'info', 'debug'])
        .default('warn'),
    );
}

async function serve(flags: Flags): Promise<void> {
  const { startServe } = await import('../serve/start-serve.ts');
  const started = await withWaitMessage('starting', () => startServe(readOptions(flags)));
  // The handler is installed before the output tells a caller that it may send a signal.
  const stopped = waitForSignal();
  if (started.madeKey !== null) console.log(`API key (shown once): ${started.madeKey}`);
  if (started.loginLink !== null) console.log(`console (one login, ten minutes): ${started.loginLink}`);
  if (started.controlAddress !== null) console.log(`control on ${started.controlAddress}`);
  if (started.metricsAddress !== null) console.log(`metrics on ${started.metricsAddress}`);
  if (started.mailAddress !== null) console.log(`mail on ${started.mailAddress}`);
  console.log(`listening on ${started.address}`);
  const isReclaimed = await Promise.race([stopped.then(() => false), started.reclaimed.then(() => true)]);
  await started.close();
  process.exitCode = isReclaimed ? exitCodes.internal : exitCodes.ok;
}

interface Flags extends BrowserFlags, MailFlags, OperateFlags, StorageFlags, TracesFlags, ScaleFlags, LimitFlags {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly data: string;
  readonly blobs?: S3Address | BlobFolder;
  readonly hosts: 'local' | 'simulated';
  readonly bootstrapKey: string[];
  readonly control?: { readonly host: string; readonly port: number };
  readonly allow: string[];
  readonly providers?: string;
  readonly skills?: string;
  readonly integrations?: string;
  readonly requireProvider?: true;
  readonly retention?: string;
  readonly verifyEvery: number;
  readonly logLevel: string;
}

function readOptions(flags: Flags): ServeOptions {
  return {
    host: flags.host,
    port: flags.port,
    dataFolder: flags.data,
    blobStore: flags.blobs ?? null,
    hosts: flags.hosts,
    bootstrapKeys: flags.bootstrapKey,
    control: flags.control ?? null,
    allow: flags.allow,
    ...readBrowserOptions(flags),
    ...readOperateOptions(flags),
    ...readTraceOptions(flags),
    ...readStorageOptions(flags),
    ...readScaleOptions(flags),
    ...readLimitOptions(flags),
    providersFile: flags.providers ?? null,
    skillsFolder: flags.skills ?? null,
    integrationsFile: flags.integrations ?? null,
    requiresProvider: flags.requireProvider ?? false,
    retentionGiven: flags.retention ?? null,
    mail: readMailOptions(flags),
    verifyEveryNth: flags.verifyEvery,
    logLevel: flags.logLevel,
    ...(flags.publicUrl === undefined ? {} : { publicUrl: flags.publicUrl }),
  };
}

function httpUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('Expected an address that starts with http:// or https://.');
}

function bucket(text: string): S3Address | BlobFolder {
  const address = parseS3Address(text) ?? parseBlobFolder(text);
  if (address !== null) return address;
  throw new InvalidArgumentError(
    'Expected s3://bucket/prefix?endpoint=https://host&region=name; all but the bucket may be left out; or file:///folder.',
  );
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}
