import { isJsonObject, toText } from '#conformance/core/json.ts';
import type { CallService } from './call-service.ts';

/** Operations that list and end resources of one kind. */
interface Kind {
  readonly list: string;
  /** Response member with the records, newest first. */
  readonly member: string;
  readonly end: (call: CallService, id: string) => Promise<{ readonly status: number }>;
}

const kinds: readonly Kind[] = [
  { list: 'v2/sessions?pageSize=100', member: 'items', end: (call, id) => call('DELETE', `v2/sessions/${id}`) },
  { list: 'v3/sessions?page_size=100', member: 'sessions', end: (call, id) => call('DELETE', `v3/sessions/${id}`) },
  { list: 'v4/sessions?limit=100', member: 'sessions', end: (call, id) => call('DELETE', `v4/sessions/${id}`) },
  {
    list: 'v4/browsers?filterBy=active&pageSize=100',
    member: 'items',
    end: (call, id) => call('PATCH', `v4/browsers/${id}`, { action: 'stop' }),
  },
  { list: 'v4/profiles?pageSize=100', member: 'items', end: (call, id) => call('DELETE', `v4/profiles/${id}`) },
  { list: 'v3/workspaces?pageSize=100', member: 'items', end: (call, id) => call('DELETE', `v3/workspaces/${id}`) },
];

/**
 * Deletes the sessions, profiles and workspaces of a project and stops its active browsers, except the newest `keep` of
 * each kind. Rejects if a request fails, except that 404 counts as deleted.
 */
export async function endAll(call: CallService, keep: number): Promise<void> {
  for (const kind of kinds) {
    // A record that another client deletes meanwhile counts as ended.
    for (let old = await beyond(call, kind, keep); old.length > 0; old = await beyond(call, kind, keep))
      for (const id of old) {
        const { status } = await kind.end(call, id);
        if (status >= 300 && status !== 404) throw new Error(`ending ${id} of ${kind.list} was answered ${status}`);
      }
  }
}

async function beyond(call: CallService, { list, member }: Kind, keep: number): Promise<string[]> {
  const { status, json } = await call('GET', list);
  const items = isJsonObject(json) ? json[member] : undefined;
  if (status !== 200 || !Array.isArray(items))
    throw new Error(`${list} was answered ${status}: ${JSON.stringify(json)}`);
  return items
    .filter(isJsonObject)
    .map((item) => toText(item['id'] ?? item['sessionId']))
    .slice(keep);
}
