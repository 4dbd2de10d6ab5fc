import { Command } from 'commander';
import { databaseOption } from '../postgres-address.ts';
import type { Place } from './admin-database.ts';

/** Creates `svc admin login-link`, which prints a link for a console login without a key. */
export function loginLinkCommand(): Command {
  return new Command('login-link')
    .description(
      'Print a link for one login to the console, which is valid for ten minutes. This login may also change credit and limits, and switch to other projects.',
    )
    .option('--address <url>', 'where the console is reached', 'http://127.0.0.1:8080')
    .option('--data <folder>', 'the data folder of the service', '.svc/data')
    .addOption(databaseOption())
    .option('--project <id>', 'id or name of the project (default: the only one)')
    .action((flags: Flags) => print(flags));
}

interface Flags extends Place {
  readonly address: string;
  readonly project?: string;
}

async function print({ address, project, ...place }: Flags): Promise<void> {
  const { withDatabase, chooseProject, AdminFault } = await import('./admin-database.ts');
  const { createLoginLinks } = await import('#api/console/login/login-links.ts');
  const { linkAddress } = await import('#api/console/login/login-secrets.ts');
  const { defaultRules } = await import('#contract/rule-book.ts');
  if (!URL.canParse(address))
    throw new AdminFault(`found the address ${address}, expected one such as https://svc.example.com`);
  const secret = await withDatabase(place, async (db) =>
    createLoginLinks({ db, clock: Date, rules: defaultRules }).make(await chooseProject(db, project)),
  );
  console.log(linkAddress(address, secret));
}
