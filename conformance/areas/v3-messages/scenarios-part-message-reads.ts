import type { Exchange } from '../../core/exchange.ts';
import { type JsonValue, memberAt, textOf } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import { followPages, itemsOf } from '../common/followed-pages.ts';

/** The messages of one V3 session that stands still, read in every direction. */
export interface MessageReads {
  /** At most 100, without a cursor. */
  all: Exchange;
  /** The newest, one and two. */
  newest: Exchange;
  newestTwo: Exchange;
  /** Behind the first message, one on each page, until a page is empty. */
  forwards: Exchange[];
  /** Before the last message, two on each page, until a page is empty. */
  backwards: Exchange[];
  /** Behind the last. */
  end: Exchange;
}

/** Reads the messages of a session in every direction. */
export async function readMessages(drive: Drive, id: string): Promise<MessageReads> {
  const read = (query: Record<string, string | number>): Promise<Exchange> =>
    drive.operations.call('v3.listMessages', { path: [id], query });
  const all = await read({ limit: 100 });
  const ids = itemsOf(all, 'messages').map((message) => textOf(memberAt(message, 'id')));
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  return {
    all,
    newest: await read({ limit: 1 }),
    newestTwo: await read({ limit: 2 }),
    forwards: await followPages(
      (after: string | undefined) => read({ after: after ?? first, limit: 1 }),
      (page) => idOf(itemsOf(page, 'messages').at(-1)),
    ),
    backwards: await followPages(
      (before: string | undefined) => read({ before: before ?? last, limit: 2 }),
      (page) => oldestOf(page, ids),
    ),
    end: await read({ after: last, limit: 100 }),
  };
}

// Whatever the order on a page, the walk goes on before the oldest of it.
function oldestOf(page: Exchange, ids: readonly string[]): string | undefined {
  const shown = itemsOf(page, 'messages').map((message) => textOf(memberAt(message, 'id')));
  return shown.toSorted((left, right) => ids.indexOf(left) - ids.indexOf(right))[0];
}

function idOf(message: JsonValue | undefined): string | undefined {
  const id = memberAt(message, 'id');
  return typeof id === 'string' ? id : undefined;
}
