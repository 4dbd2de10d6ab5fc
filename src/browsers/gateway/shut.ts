import type { WebSocket } from 'ws';
import type { cdpPolicy } from '#generated/rules.ts';
import { fillTemplate } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';

/** Names of the rows of spec/rules/cdp-policy.yaml that say how a connection is ended. */
export type ClosingName = (typeof cdpPolicy)['closings'][number]['closing'];

/** What a connection emits when it is ended by us, with the name of the row; not when it is closing already. */
export const shutEvent = 'svc:shut';

/** A reason in a close frame has at most 123 bytes (RFC 6455, 5.5), so it is kept to characters of one byte. */
const REASON_LENGTH_MAX = 120;
const NOT_ONE_BYTE = /[^\x20-\x7e]/g;

/** Begins the closing handshake of a connection; without effect on one that is closing. Throws when the table has no such row. */
export function shut(
  { socket, table }: { readonly socket: WebSocket; readonly table: RuleBook['cdpPolicy'] },
  name: ClosingName,
  values: Readonly<Record<string, string>> = {},
): void {
  const row = table.closings.find(({ closing }) => closing === name);
  if (row === undefined) throw new Error(`cdpPolicy: found no closing ${name}`);
  const reason = fillTemplate(row.reason, values).replaceAll(NOT_ONE_BYTE, '?');
  if (socket.readyState === socket.OPEN) socket.emit(shutEvent, name);
  socket.close(row.code, reason.slice(0, REASON_LENGTH_MAX));
  // A paused connection would never see the other end's answer.
  socket.resume();
}
