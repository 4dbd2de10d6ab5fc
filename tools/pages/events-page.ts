import { runEvents } from '#generated/rules.ts';
import { page, table } from './markdown.ts';

/** The kinds of events of a V4 run. */
export function eventsPage(): string {
  const rows = runEvents.events.map(({ type, when, data, source }) => [`\`${type}\``, when, data, source]);
  return page(
    'Events of a V4 run',
    'From `spec/rules/run-events.yaml`. The list is open: a client has to pass over a kind that it does not know. Ids grow; nothing is ever changed or inserted.',
    table(['Type', 'When', 'Members of data', 'Source'], rows),
  );
}
