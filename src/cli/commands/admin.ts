import { Command } from 'commander';
import type { ShownProviderKey } from '#accounts/provider-keys.ts';
import { backupCommand, restoreCommand } from '../admin/backup-command.ts';
import { sweepCommand } from '../admin/sweep-command.ts';
import { loginLinkCommand, keyCommand } from '../admin/key-command.ts';
import { scheduleCommand } from '../admin/schedule-command.ts';
import { projectCommand } from '../admin/project-command.ts';
import { databaseOption } from '../flag-values.ts';

/** Creates `svc admin`, the commands of an operator on a data folder, also while the service runs. */
export function adminCommand(): Command {
  return new Command('admin')
    .description('Manage projects, keys and data of a service on this machine, also while it runs.')
    .addCommand(projectCommand())
    .addCommand(keyCommand())
    .addCommand(scheduleCommand())
    .addCommand(loginLinkCommand())
    .addCommand(providerKeyCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(sweepCommand());
}

function providerKeyCommand(): Command {
  const keys = new Command('provider-key').description(
    'Keys of model providers that belong to a project: V3 uses them with useOwnKey, V4 whenever one is stored.',
  );
  keys.addCommand(
    withPlace(new Command('set'))
      .description('Store or replace a key, read from SVC_PROVIDER_KEY or standard input.')
      .argument('<provider>', 'provider of the key, such as openai')
      .action((provider: string, flags: Flags) => set(provider, flags)),
  );
  keys.addCommand(
    withPlace(new Command('list'))
      .description('List the keys: provider, last four characters, and time of storage.')
      .option('--json', 'as JSON, times in milliseconds since 1970')
      .action((flags: ListFlags) => list(flags)),
  );
  keys.addCommand(
    withPlace(new Command('remove'))
      .description('Delete a key.')
      .argument('<provider>', 'provider of the key')
      .action((provider: string, flags: Flags) => remove(provider, flags)),
  );
  return keys;
}

interface Flags {
  readonly data: string;
  readonly database?: string;
  readonly project?: string;
  readonly secretFile?: string;
}

interface ListFlags extends Flags {
  readonly json?: true;
}

function withPlace(command: Command): Command {
  return command
    .option('--data <folder>', 'data folder of the service', '.svc/data')
    .addOption(databaseOption())
    .option(
      '--secret-file <file>',
      'encryption secret of the service, as for svc serve (default: the secret of the data folder)',
    )
    .option('--project <id>', 'id or name of the project (default: the only one)');
}

async function set(provider: string, flags: Flags): Promise<void> {
  const { withProviderKeys } = await import('../admin/admin-database.ts');
  const { readKey, knownProvider } = await import('../admin/values.ts');
  const { defaultRules } = await import('#contract/rule-book.ts');
  const known = knownProvider(defaultRules, provider);
  await withProviderKeys(flags, async (keys, projectId) => {
    const key = await readKey({ environment: process.env, input: process.stdin });
    await keys.set(projectId, { provider: known, key, nowMs: Date.now() });
    console.log(`stored a key of ${known} that ends in ${key.slice(-4)}`);
  });
}

async function list({ json, ...flags }: ListFlags): Promise<void> {
  const { withProviderKeys } = await import('../admin/admin-database.ts');
  const rows = await withProviderKeys(flags, (keys, projectId) => keys.list(projectId));
  if (json === true) console.log(JSON.stringify(rows, null, 2));
  else for (const row of rows) console.log(line(row));
}

function line({ provider, lastFour, createdAtMs }: ShownProviderKey): string {
  return `${provider.padEnd(12)} ...${lastFour}  ${new Date(createdAtMs).toISOString()}`;
}

async function remove(provider: string, flags: Flags): Promise<void> {
  const { withProviderKeys } = await import('../admin/admin-database.ts');
  const { AdminFault } = await import('../admin/admin-database.ts');
  const removed = await withProviderKeys(flags, (keys, projectId) => keys.remove(projectId, provider));
  if (!removed) throw new AdminFault(`found no key of ${provider}. Next: see svc admin provider-key list`);
  console.log(`deleted the key of ${provider}`);
}
