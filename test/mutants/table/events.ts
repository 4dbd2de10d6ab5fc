import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { eventPages, isEventRead } from '../tampers.ts';

const v4 = { server: 'reference', only: ['events'] } as const;
const both = ['EVT-01', 'EVT-03', 'EVT-04'] as const;

/** Changes the cursor in reads of events. */
function cursor(change: (after: number) => string): Tamper {
  return {
    request(seen) {
      const after = /[?&]after=(\d+)/.exec(seen.url)?.[1];
      if (!isEventRead(seen) || after === undefined) return undefined;
      return { url: seen.url.replace(`after=${after}`, change(Number(after))) };
    },
  };
}

/** Changes the events of a page that was requested with a limit, without changing the cursor of the page. */
function limitedPages(change: (events: JsonObject[], isLast: boolean) => JsonObject[]): Tamper {
  return eventPages((events, page, { url }) =>
    url.includes('limit=') ? { ...page, events: change(events, page['hasMore'] !== true) } : page,
  );
}

/**
 * Creates a tamper that changes each answer like the tamper of `change(read)`, where `read` is the number of event
 * reads so far.
 */
function everyRead(change: (read: number) => Tamper): () => Tamper {
  return () => {
    let reads = 0;
    return {
      answer(seen, given) {
        if (isEventRead(seen)) reads += 1;
        return change(reads).answer?.(seen, given);
      },
    };
  };
}

/** Number that is added to the event ids of later runs, so that copies of the first run's events have free ids. */
const copiedIds = 1000;

/**
 * Lists copies of the first run's events before the events of each later run, as if they were events of the later run.
 */
function copiesFirst(): Tamper {
  let first: { readonly run: string; readonly events: readonly JsonObject[] } | undefined;
  const later = new Map<string, boolean>();
  const runIn = ({ url }: Seen): string => /\/runs\/([^/]+)\/events/.exec(url)?.[1] ?? '';
  const afterIn = ({ url }: Seen): number => Number(/[?&]after=(\d+)/.exec(url)?.[1] ?? 0);
  const pages = eventPages((events, page, seen) => {
    const run = runIn(seen);
    if (!later.has(run)) later.set(run, first !== undefined);
    if (later.get(run) === false) {
      const isWhole = afterIn(seen) === 0 && events.some(({ type }) => type === 'run.completed');
      if (isWhole) first ??= { run, events };
      return page;
    }
    const own = events.map((event) => ({ ...event, id: Number(event['id']) + copiedIds }));
    const copies = afterIn(seen) === 0 ? (first?.events ?? []) : [];
    return {
      ...page,
      events: [...copies.map((event) => ({ ...event, runId: run })), ...own],
      nextAfter: Number(page['nextAfter']) + copiedIds,
    };
  });
  return {
    ...pages,
    request: (seen) => {
      const after = afterIn(seen);
      if (!isEventRead(seen) || after <= copiedIds) return undefined;
      return { url: seen.url.replace(`after=${after}`, `after=${after - copiedIds}`) };
    },
  };
}

/** Servers with wrong events of V4 runs, for example missing, repeated or reordered events. */
export const eventMutants: readonly Mutant[] = [
  {
    ...v4,
    id: 'events-none',
    breaks: 'A run has no events.',
    target: 'EVT-01',
    tamper: eventPages((_events, page) => ({ ...page, events: [], nextAfter: 0 })),
  },
  {
    ...v4,
    id: 'events-of-first-run',
    breaks: 'A run lists the events of the first run before its own, under its own id.',
    target: 'EVT-01',
    mayAlso: ['EVT-03', 'EVT-04'],
    tamper: copiesFirst,
  },
  {
    ...v4,
    id: 'event-parts-reversed',
    breaks: 'A page with a limit lists its events newest first.',
    target: 'EVT-04',
    tamper: limitedPages((events) => events.toReversed()),
  },
  {
    ...v4,
    id: 'event-parts-lose-last',
    breaks: 'A page with a limit leaves out its last event when more pages follow.',
    target: 'EVT-04',
    tamper: limitedPages((events, isLast) => (isLast ? events : events.slice(0, -1))),
  },
  {
    ...v4,
    id: 'events-404',
    breaks: 'The events of a run answer 404 after the run has made progress.',
    target: 'EVT-01',
    tamper: everyRead((read) => ({
      answer: (seen) => (isEventRead(seen) && read > 4 ? { status: 404, body: { detail: 'Not Found' } } : undefined),
    })),
  },
  {
    ...v4,
    id: 'events-object',
    breaks: 'The events of a run are not a list after the run has made progress.',
    target: 'EVT-01',
    tamper: everyRead((read) =>
      eventPages((events, page) => ({ ...page, events: read > 4 ? Object.fromEntries(events.entries()) : events })),
    ),
  },
  {
    ...v4,
    id: 'events-duplicated',
    breaks: 'Every event appears twice in the list.',
    target: 'EVT-01',
    mayAlso: both,
    tamper: eventPages((events, page) => ({ ...page, events: events.flatMap((event) => [event, event]) })),
  },
  {
    ...v4,
    id: 'events-same-id',
    breaks: 'All events have the same id.',
    target: 'EVT-01',
    mayAlso: both,
    tamper: eventPages((events, page) => ({ ...page, events: events.map((event) => ({ ...event, id: 1 })) })),
  },
  {
    ...v4,
    id: 'events-other-run',
    breaks: 'The events of a run contain the id of the previous run.',
    target: 'EVT-01',
    tamper: () => {
      const runs: string[] = [];
      return {
        answer(seen, given) {
          const { body } = given;
          if (seen.method === 'POST' && seen.url === '/api/v4/runs' && isJsonObject(body))
            runs.push(String(body['id']));
          const own = runs.findIndex((id) => seen.url.includes(id));
          if (own < 1) return undefined;
          const change = (event: JsonObject): JsonObject => ({ ...event, runId: runs[own - 1] ?? '' });
          return eventPages((events, page) => ({ ...page, events: events.map(change) })).answer?.(seen, given);
        },
      };
    },
  },
  {
    ...v4,
    id: 'events-swapped',
    breaks: 'The first two events of a page are swapped.',
    target: 'EVT-01',
    mayAlso: both,
    tamper: eventPages(([first, second, ...rest], page) => ({
      ...page,
      events: [second, first, ...rest].filter((event) => event !== undefined),
    })),
  },
  {
    ...v4,
    id: 'events-zigzag',
    breaks: 'The ids of the events are not in ascending order.',
    target: 'EVT-01',
    mayAlso: both,
    tamper: eventPages((events, page) => ({
      ...page,
      events: events.map((event) => ({ ...event, id: (Number(event['id']) * 7919) % 1009 })),
    })),
  },
  {
    ...v4,
    id: 'events-cursor-included',
    breaks: 'A page repeats the event of its cursor.',
    target: 'EVT-01',
    mayAlso: both,
    tamper: cursor((after) => `after=${Math.max(0, after - 1)}`),
  },
  {
    ...v4,
    id: 'events-cursor-ignored',
    breaks: 'Every page starts at the first event.',
    target: 'EVT-01',
    mayAlso: both,
    tamper: cursor(() => 'after=0'),
  },
  {
    ...v4,
    id: 'events-cursor-skips',
    breaks: 'The next cursor skips events.',
    target: 'EVT-03',
    mayAlso: both,
    tamper: eventPages((events, page) => ({
      ...page,
      nextAfter: events.length === 0 ? page['nextAfter'] : Number(page['nextAfter']) + 1000,
    })),
  },
  {
    ...v4,
    id: 'events-rewritten',
    breaks: 'The type of an event changes with every response.',
    target: 'EVT-03',
    tamper: everyRead((read) =>
      eventPages((events, page) => ({
        ...page,
        events: events.map((event) => ({ ...event, type: `${String(event['type'])}.${read}` })),
      })),
    ),
  },
  {
    ...v4,
    id: 'events-redated',
    breaks: 'The time of an event is the time of the response.',
    target: 'EVT-03',
    tamper: everyRead((read) =>
      eventPages((events, page) => ({
        ...page,
        events: events.map((event) => ({ ...event, ts: new Date(read).toISOString() })),
      })),
    ),
  },
  {
    ...v4,
    id: 'events-data-lost',
    breaks: 'The data of an event is missing at the second read.',
    target: 'EVT-03',
    tamper: everyRead((read) =>
      eventPages((events, page) => ({
        ...page,
        events: events.map((event) => ({ ...event, data: read > 4 ? {} : { told: true } })),
      })),
    ),
  },
  {
    ...v4,
    id: 'events-truncated',
    breaks: 'A later read from the start omits the oldest event.',
    target: 'EVT-03',
    mayAlso: both,
    tamper: everyRead((read) =>
      eventPages((events, page, { url }) => ({
        ...page,
        events: url.includes('after=') || read < 5 ? events : events.slice(1),
      })),
    ),
  },
  {
    ...v4,
    id: 'events-inserted',
    breaks: 'A new event is inserted before the existing ones.',
    target: 'EVT-03',
    mayAlso: both,
    tamper: everyRead((read) =>
      eventPages((events, page, { url }) => ({
        ...page,
        events: url.includes('after=') || read < 5 ? events : [{ ...events[0], id: 0, type: 'late' }, ...events],
      })),
    ),
  },
  {
    ...v4,
    id: 'events-lost-at-the-next-run',
    breaks: 'The events of a run are lost once a later run was created.',
    target: 'EVT-01',
    mayAlso: both,
    tamper: () => {
      let newest = '';
      return {
        answer(seen, { status, body }) {
          if (!isJsonObject(body) || status >= 300) return undefined;
          if (seen.method === 'POST' && seen.url === '/api/v4/runs') newest = String(body['id']);
          const isLost = /\/runs\/[^/]+\/events/.test(seen.url) && !seen.url.includes(newest);
          return isLost ? { body: { ...body, events: [], hasMore: false } } : undefined;
        },
      };
    },
  },
];
