import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Audit, createAudit, openAuditFile } from '#browsers/index.ts';
import type { Clock } from '#lib/clock/clock.ts';
import { limitOf } from '#contract/limits.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** What an audit depends on. */
export interface AuditSurroundings {
  readonly rules: RuleBook;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the audit of `svc serve --audit`; it is closed after everything that writes to it. Rejects when the file cannot be written. */
export async function openAudit(
  path: string,
  { rules, clock, log }: AuditSurroundings,
  owned: AsyncDisposableStack,
): Promise<Audit> {
  const file = await openAuditFile({
    path,
    bytesMax: limitOf(rules, 'cdpAuditFile'),
    backlogBytesMax: limitOf(rules, 'cdpAuditBacklog'),
    onError: (error) => log.error({ err: error }, 'the audit could not be written'),
  });
  owned.defer(() => file.close());
  return createAudit({ write: (line) => file.write(line), now: () => clock.now(), newId: randomUUID });
}
