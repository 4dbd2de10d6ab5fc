import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type { Periods } from '#backend/retention/index.ts';
import { exitCodes } from '../exit-codes.ts';

/** `svc admin sweep --dry-run`: what a retention would remove now, and why. */
export function sweepCommand(): Command {
  return new Command('sweep')
    .description(
      'Say what svc serve --retention would remove now, and since when it is old; the service itself removes it.',
    )
    .requiredOption('--dry-run', 'only say it')
    .requiredOption('--retention <days|file>', 'as svc serve has it')
    .option('--data <folder>', 'the data folder of the service', '.svc/data')
    .action(sweep);
}

async function sweep({ data, retention }: { readonly data: string; readonly retention: string }): Promise<void> {
  const { readRetention } = await import('../serve/read-retention.ts');
  const file = join(resolve(data), 'svc.sqlite');
  try {
    if (!existsSync(file)) throw new Error(`found no ${file}, expected that of a service that was started once`);
    await say(file, await readRetention(retention));
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('found '))) throw error;
    console.error(`svc admin: ${error.message}`);
    process.exitCode = exitCodes.usage;
  }
}

async function say(file: string, periods: Periods): Promise<void> {
  const { findOld } = await import('#backend/retention/index.ts');
  const { openDatabase } = await import('#backend/storage/database.ts');
  const { endStates } = await import('#domain/lifecycle.ts');
  const { defaultRules } = await import('#domain/rule-book.ts');
  const ended = endStates(defaultRules.lifecycle, 'session');
  const db = await openDatabase(file);
  try {
    for (const [kind, period] of periods) {
      const { since: reason, unless } = defaultRules.retention.kinds.find((row) => row.kind === kind) ?? {};
      const query = { db, ended, before: Date.now() - period, limit: Number.MAX_SAFE_INTEGER, only: null };
      const found = await findOld(kind, query);
      console.log(`${kind}: ${found.length} (age: ${reason}; kept while: ${unless})`);
      for (const { id, since } of found) console.log(`  ${id}  since ${new Date(since).toISOString()}`);
    }
  } finally {
    await db.destroy();
  }
}
