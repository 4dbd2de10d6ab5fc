import { Command } from 'commander';
import type { ShownProviderKey } from '#accounts/provider-keys.ts';
import { addDatabaseOptions, readCredit } from '../flag-values.ts';
import { readName } from './values.ts';
import type { DatabaseLocation } from './admin-database.ts';

/** Creates `svc admin key`, which manages API keys of projects. */
export function keyCommand(): Command {
  const keys = new Command('key').description('API keys of projects: a key gives access to everything in its project.');
  keys.addCommand(
    addDatabaseOptions(new Command('create'))
      .description('Create a key, and print it once to standard output. Only its hash is stored.')
      .option('--project <id>', 'id or name of the project (default: the only one)')
      .option('--name <name>', 'name of the key', readName)
      .option('--expires <when>', 'a date such as 2027-01-31, or a time from now such as 90d or 12h (default: never)')
      .option('--may-schedule', 'allow the key to create, confirm and end scheduled tasks')
      .option('--monthly-limit <usd>', 'monthly limit (UTC) in US dollars, or unlimited', readCredit)
      .action((flags: CreateFlags) => create(flags)),
  );
  keys.addCommand(
    addDatabaseOptions(new Command('list'))
      .description('List the keys with their first characters, state and last use.')
      .option('--project <id>', 'id or name of the project (default: all)')
      .option('--json', 'as JSON, times in milliseconds since 1970')
      .action((flags: ListFlags) => list(flags)),
  );
  keys.addCommand(
    addDatabaseOptions(new Command('limit'))
      .description('Set the monthly limit (UTC) of a key. Above it, operations that cost money are refused with 402.')
      .argument('<id>', 'id of the key, see svc admin key list')
      .argument('<usd>', 'amount in US dollars, or unlimited', readCredit)
      .action((id: string, micros: number | null, flags: DataFlags) => limit(id, micros, flags)),
  );
  keys.addCommand(
    addDatabaseOptions(new Command('revoke'))
      .description('Revoke a key: it is refused from the next request on. Its sessions and browsers continue.')
      .argument('<id>', 'id of the key, see svc admin key list')
      .action((id: string, flags: DataFlags) => revoke(id, flags)),
  );
  return keys;
}

type DataFlags = DatabaseLocation;

interface ProjectFlags extends DataFlags {
  readonly project?: string;
}

interface ListFlags extends ProjectFlags {
  readonly json?: true;
}

interface CreateFlags extends ProjectFlags {
  readonly name?: string;
  readonly expires?: string;
  readonly maySchedule?: true;
  /** Monthly spend limit of the key in micro-dollars; null for no limit. */
  readonly monthlyLimit?: number | null;
}

async function create(flags: CreateFlags): Promise<void> {
  const { project, name, expires, maySchedule, monthlyLimit = null, ...place } = flags;
  const { withDatabase, chooseProject } = await import('./admin-database.ts');
  const { createIssuedKeys } = await import('#accounts/api-keys.ts');
  const { readExpiry } = await import('./values.ts');
  const { shownTime } = await import('./tables.ts');
  const nowMs = Date.now();
  const expiresAtMs = expires === undefined ? null : readExpiry(expires, nowMs);
  await withDatabase(place, async (db) => {
    const projectId = await chooseProject(db, project);
    const rights = { maySchedule: maySchedule === true, monthlyMicros: monthlyLimit };
    const wanted = { projectId, name: name ?? null, nowMs, expiresAtMs, ...rights };
    const { key, issued } = await createIssuedKeys(db).issue(wanted);
    console.log(key);
    console.error(`key ${issued.id} of project ${projectId} expires: ${shownTime(expiresAtMs, 'never')}`);
  });
}

async function list({ project, json, ...place }: ListFlags): Promise<void> {
  const { withDatabase, chooseProject } = await import('./admin-database.ts');
  const { createIssuedKeys } = await import('#accounts/api-keys.ts');
  const { keyTable } = await import('./tables.ts');
  await withDatabase(place, async (db) => {
    const projectId = project === undefined ? null : await chooseProject(db, project);
    const keys = await createIssuedKeys(db).list(projectId);
    console.log(json === true ? JSON.stringify(keys, null, 2) : keyTable(keys, Date.now()));
  });
}

async function limit(id: string, monthlyMicros: number | null, place: DataFlags): Promise<void> {
  const { withDatabase, AdminFault } = await import('./admin-database.ts');
  const { createIssuedKeys } = await import('#accounts/api-keys.ts');
  const { shownAmount } = await import('./tables.ts');
  const limited = await withDatabase(place, (db) => createIssuedKeys(db).limit(id, monthlyMicros));
  if (limited === null) throw new AdminFault(`found no key with the id ${id}. Next: see svc admin key list`);
  console.log(`key ${limited.id} (${limited.prefix}...) monthly limit: ${shownAmount(limited.monthlyMicros)}`);
}

async function revoke(id: string, place: DataFlags): Promise<void> {
  const { withDatabase, AdminFault } = await import('./admin-database.ts');
  const { createIssuedKeys } = await import('#accounts/api-keys.ts');
  const { shownTime } = await import('./tables.ts');
  const revoked = await withDatabase(place, (db) => createIssuedKeys(db).revoke(id, Date.now()));
  if (revoked === null) throw new AdminFault(`found no key with the id ${id}. Next: see svc admin key list`);
  console.log(`key ${revoked.id} (${revoked.prefix}...) revoked: ${shownTime(revoked.revokedAtMs, 'never')}`);
}

/** Creates `svc admin provider-key`, which manages the keys of model providers that belong to a project. */
export function providerKeyCommand(): Command {
  const keys = new Command('provider-key').description(
    'Keys of model providers that belong to a project: V3 uses them with useOwnKey, V4 whenever one is stored.',
  );
  keys.addCommand(
    withKeyPlace(new Command('set'))
      .description('Store or replace a key, read from SVC_PROVIDER_KEY or standard input.')
      .argument('<provider>', 'provider of the key, such as openai')
      .action((provider: string, flags: ProviderKeyFlags) => setProviderKey(provider, flags)),
  );
  keys.addCommand(
    withKeyPlace(new Command('list'))
      .description('List the keys: provider, last four characters, and time of storage.')
      .option('--json', 'as JSON, times in milliseconds since 1970')
      .action((flags: ListedKeysFlags) => listProviderKeys(flags)),
  );
  keys.addCommand(
    withKeyPlace(new Command('remove'))
      .description('Delete a key.')
      .argument('<provider>', 'provider of the key')
      .action((provider: string, flags: ProviderKeyFlags) => removeProviderKey(provider, flags)),
  );
  return keys;
}

interface ProviderKeyFlags extends ProjectFlags {
  readonly secretFile?: string;
}

interface ListedKeysFlags extends ProviderKeyFlags {
  readonly json?: true;
}

function withKeyPlace(command: Command): Command {
  return addDatabaseOptions(command)
    .option(
      '--secret-file <file>',
      'encryption secret of the service, as for svc serve (default: the secret of the data folder)',
    )
    .option('--project <id>', 'id or name of the project (default: the only one)');
}

async function setProviderKey(provider: string, flags: ProviderKeyFlags): Promise<void> {
  const { withProviderKeys } = await import('./admin-database.ts');
  const { readKey, knownProvider } = await import('./values.ts');
  const { defaultRules } = await import('#contract/rule-book.ts');
  const known = knownProvider(defaultRules, provider);
  await withProviderKeys(flags, async (keys, projectId) => {
    const key = await readKey({ environment: process.env, input: process.stdin });
    await keys.set(projectId, { provider: known, key, nowMs: Date.now() });
    console.log(`stored a key of ${known} that ends in ${key.slice(-4)}`);
  });
}

async function listProviderKeys({ json, ...flags }: ListedKeysFlags): Promise<void> {
  const { withProviderKeys } = await import('./admin-database.ts');
  const rows = await withProviderKeys(flags, (keys, projectId) => keys.list(projectId));
  if (json === true) console.log(JSON.stringify(rows, null, 2));
  else for (const row of rows) console.log(providerKeyLine(row));
}

function providerKeyLine({ provider, lastFour, createdAtMs }: ShownProviderKey): string {
  return `${provider.padEnd(12)} ...${lastFour}  ${new Date(createdAtMs).toISOString()}`;
}

async function removeProviderKey(provider: string, flags: ProviderKeyFlags): Promise<void> {
  const { withProviderKeys, AdminFault } = await import('./admin-database.ts');
  const removed = await withProviderKeys(flags, (keys, projectId) => keys.remove(projectId, provider));
  if (!removed) throw new AdminFault(`found no key of ${provider}. Next: see svc admin provider-key list`);
  console.log(`deleted the key of ${provider}`);
}

/** Creates `svc admin login-link`, which prints a link for a console login without a key. */
export function loginLinkCommand(): Command {
  const command = new Command('login-link')
    .description(
      'Print a link for one login to the console within ten minutes. This login may change credit and limits, and switch projects.',
    )
    .option('--address <url>', 'URL of the console', 'http://127.0.0.1:8080');
  return addDatabaseOptions(command)
    .option('--project <id>', 'id or name of the project (default: the only one)')
    .action((flags: Flags) => print(flags));
}

interface Flags extends DatabaseLocation {
  readonly address: string;
  readonly project?: string;
}

async function print({ address, project, ...place }: Flags): Promise<void> {
  const { withDatabase, chooseProject, AdminFault } = await import('./admin-database.ts');
  const { createLoginLinks } = await import('#api/console/login/login-links.ts');
  const { linkAddress } = await import('#api/console/login/login-secrets.ts');
  const { defaultRules } = await import('#contract/rule-book.ts');
  if (!URL.canParse(address))
    throw new AdminFault(`found the address ${address}. Expected a URL such as https://svc.example.com`);
  const secret = await withDatabase(place, async (db) =>
    createLoginLinks({ db, clock: Date, rules: defaultRules }).make(await chooseProject(db, project)),
  );
  console.log(linkAddress(address, secret));
}
