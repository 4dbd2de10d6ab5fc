import { Command, InvalidArgumentError, Option } from 'commander';
import { type BlobFolder, type S3Address, parseBlobFolder, parseS3Address } from '#store/storage-addresses.ts';
import { exitCodes, waitForSignal } from '../process-end.ts';
import { withConfiguration } from '../configuration/with-configuration.ts';
import { collect, httpUrl, readCount, readLoopback, readPort } from '../flag-values.ts';
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
    .description('Run the reference service, with real browsers and an agent.')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 takes a free one', readPort, 8080)
    .option('--public-url <url>', 'beginning of all URLs in answers (default: the listening address)', httpUrl)
    .option('--data <folder>', 'data folder: state, pictures and secrets', '.svc/data')
    .option(
      '--blobs <address>',
      'storage of pictures and files: s3://bucket/prefix?endpoint=URL&region=NAME, with the credentials of the AWS tools, or file:///folder (default: below --data)',
      bucket,
    )
    .addOption(new Option('--hosts <kind>', 'kind of browsers').choices(['local', 'simulated']).default('local'))
    .option(
      '--bootstrap-key <key>',
      'API key that gets a project of its own (repeatable; without one, the first start creates a key and prints it once)',
      collect,
      [],
    )
    .option(
      '--control <address:port>',
      'loopback address for tests, which moves the clock, injects faults and allows test tasks',
      readLoopback,
    )
    .option('--allow <host:port|cidr>', 'private address that pages may reach (repeatable)', collect, [])
    .option(
      '--providers <file>',
      'model providers with their keys and URLs, as YAML (docs/guides/providers.md; default: environment variables such as OPENAI_API_KEY)',
    )
    .option(
      '--skills <folder>',
      'folder of skills for agents with a model: one folder with a SKILL.md for each (docs/guides/skills.md)',
    )
    .option(
      '--integrations <file>',
      'MCP servers whose tools agents with a model can call, as YAML (docs/guides/integrations.md)',
    )
    .option(
      '--require-provider',
      'refuse a model without a provider with 422 (default: the offline planner works on its tasks)',
    )
    .option(
      '--retention <days|file>',
      'days after which data is removed, if nothing refers to it: a number, or a YAML file of days by kind (docs/guides/run.md; default: recordings after 30 days, files of stopped browsers after 7, no other data)',
    )
    .option('--verify-every <n>', 'validate every n-th answer against its document', readCount, 20)
    .addOption(
      new Option('--log-level <level>', 'least severe level that is logged to standard error')
        .choices(['silent', 'error', 'warn', 'info', 'debug'])
        .default('warn'),
    );
}

async function serve(flags: Flags): Promise<void> {
  const { startServe } = await import('../serve/start-serve.ts');
  const started = await withWaitMessage('starting', () => startServe(readOptions(flags)));
  // Installs the signal handlers before the output shows that the service has started: a caller may then send a signal.
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

function bucket(text: string): S3Address | BlobFolder {
  const address = parseS3Address(text) ?? parseBlobFolder(text);
  if (address !== null) return address;
  throw new InvalidArgumentError(
    'Expected s3://bucket/prefix?endpoint=https://host&region=name; all but the bucket may be left out; or file:///folder.',
  );
}
