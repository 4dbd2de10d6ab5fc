import { Command } from 'commander';
import { addDatabaseOptions } from '../flag-values.ts';
import type { DatabaseLocation } from './admin-database.ts';

/** Creates `svc admin sweep --dry-run`, which shows what a retention sweep would remove now, and why. */
export function sweepCommand(): Command {
  const command = new Command('sweep')
    .description(
      'List the data that svc serve --retention would remove now, with its age. This command removes nothing.',
    )
    .requiredOption('--dry-run', 'required: this command only lists')
    .requiredOption('--retention <days|file>', 'days, or a YAML file of days by kind, as for svc serve');
  return addDatabaseOptions(command).action(sweep);
}

interface SweepFlags extends DatabaseLocation {
  readonly retention: string;
}

async function sweep({ retention, ...place }: SweepFlags): Promise<void> {
  const { withDatabase } = await import('./admin-database.ts');
  const { readRetention } = await import('../serve/read-files.ts');
  const periods = await readRetention(retention);
  const { findOld } = await import('#store/queries/retention.ts');
  const { endStates } = await import('#contract/lifecycle.ts');
  const { defaultRules } = await import('#contract/rule-book.ts');
  const ended = endStates(defaultRules.lifecycle);
  await withDatabase(place, async (db) => {
    for (const [kind, period] of periods) {
      const { since: reason, unless } = defaultRules.retention.kinds.find((row) => row.kind === kind) ?? {};
      const query = { ended, before: Date.now() - period, limit: Number.MAX_SAFE_INTEGER, only: null };
      const found = await findOld(db, kind, query);
      console.log(`${kind}: ${found.length} (age: ${reason}; kept while: ${unless})`);
      for (const { id, since } of found) console.log(`  ${id}  since ${new Date(since).toISOString()}`);
    }
  });
}
