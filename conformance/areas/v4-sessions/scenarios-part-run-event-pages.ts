import type { RequestSpec } from '../../transport/client.ts';
import type { Exchange } from '../../core/exchange.ts';
import { memberAt } from '../../core/json.ts';
import type { Drive } from '../../core/scenario.ts';
import { followPages, itemsOf } from '../common/followed-pages.ts';

/** The events of one run that has ended, read in several ways. */
export interface EventPages {
  runId: string;
  /** All of them, as far as one page holds. */
  all: Exchange;
  /** One event on each page, following nextAfter, until a page is empty. */
  single: Exchange[];
  /** Behind the second event. */
  behindSecond: Exchange;
  /** What the address in the creation response opens; undefined where it carries none, or one on another host. */
  atAddress: Exchange | undefined;
}

/** Reads the events of a run that has ended. */
export async function readEventPages(drive: Drive, run: { id: string; created: Exchange }): Promise<EventPages> {
  const read = (query: Record<string, number>): Promise<Exchange> =>
    drive.operations.call('v4.listRunEvents', { path: [run.id], query });
  const all = await read({ limit: 200 });
  const single = await followPages(
    (after: number | undefined) => read({ after: after ?? 0, limit: 1 }),
    (page) => (itemsOf(page, 'events').length === 0 ? undefined : numberAt(page, 'nextAfter')),
  );
  const second = itemsOf(all, 'events')[1];
  const behindSecond = await read({ after: Number(memberAt(second, 'id') ?? 0), limit: 200 });
  return { runId: run.id, all, single, behindSecond, atAddress: await openAddress(drive, run.created) };
}

function numberAt(page: Exchange, member: string): number | undefined {
  const value = memberAt(page.json, member);
  return typeof value === 'number' ? value : undefined;
}

// The key is sent only to the host of the target itself.
async function openAddress(drive: Drive, created: Exchange): Promise<Exchange | undefined> {
  const address = memberAt(created.json, 'eventsUrl');
  if (typeof address !== 'string' || !URL.canParse(address, drive.target.url)) return undefined;
  const { href, origin } = new URL(address, drive.target.url);
  if (origin !== new URL(drive.target.url).origin) return undefined;
  const spec: RequestSpec = { generation: 'other', operation: 'eventsUrl', method: 'GET', path: href };
  return drive.send(spec);
}
