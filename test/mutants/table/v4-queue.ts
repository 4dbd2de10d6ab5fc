import type { JsonObject } from '#lib/json.ts';
import type { Mutant } from '../mutant.ts';
import { asks, at, readBody, rows, says, told, turns, wants } from '../operation-tampers.ts';

const base = { server: 'reference', only: ['v4-queue'] } as const;
const [queue, message, run] = ['/api/v4/sessions/*/queue', '/api/v4/sessions/*/queue/*', '/api/v4/runs/*'];
const send = at('POST', queue);
const getMessage = at('GET', message);
const isSlow = ({ task }: JsonObject): boolean => String(task).includes('slow');

/** Servers whose message queue is wrong. */
export const v4QueueMutants: readonly Mutant[] = [
  {
    ...base,
    id: 'v4-queue-another-task',
    breaks: 'A message becomes a run with another task.',
    target: 'V4-QUEUE-01',
    mayAlso: ['V4-QUEUE-05'],
    tamper: told(at('GET', run), (body) => (isSlow(body) ? { ...body, task: 'Something else' } : body)),
  },
  {
    ...base,
    id: 'v4-queue-consumed-at-once',
    breaks: 'A pending message has the status consumed.',
    target: 'V4-QUEUE-02',
    tamper: says(send, { status: 'consumed' }),
  },
  {
    ...base,
    id: 'v4-queue-newest-first',
    breaks: 'The queue lists the newest message first.',
    target: 'V4-QUEUE-03',
    tamper: rows(at('GET', queue), 'queue', (items) => items.toReversed()),
  },
  {
    ...base,
    id: 'v4-queue-last-first',
    breaks: 'The last message of a queue runs first.',
    target: 'V4-QUEUE-04',
    tamper: told(at('GET', run), (body) => ({
      ...body,
      createdAt: new Date(4e12 - Date.parse(String(body['createdAt']))).toISOString(),
    })),
  },
  {
    ...base,
    id: 'v4-queue-interrupt-ignored',
    breaks: 'A message with interrupt true waits like other messages.',
    target: 'V4-QUEUE-05',
    mayAlso: ['V4-QUEUE-02', 'V4-QUEUE-03', 'V4-QUEUE-04', 'V4-QUEUE-08', 'V4-QUEUE-10', 'V4-QUEUE-13'],
    tamper: wants(send, () => ({ interrupt: false })),
  },
  {
    ...base,
    id: 'v4-queue-take-back-pending',
    breaks: 'A withdrawn message is still pending.',
    target: 'V4-QUEUE-06',
    tamper: says(at('DELETE', message), { status: 'pending' }),
  },
  {
    ...base,
    id: 'v4-queue-take-back-404',
    breaks: 'The withdrawal of a message that is no longer pending answers 404.',
    target: 'V4-QUEUE-07',
    tamper: turns(at('DELETE', message), 409, { status: 404 }),
  },
  {
    ...base,
    id: 'v4-queue-full-409',
    breaks: 'The eleventh pending message is refused with 409.',
    target: 'V4-QUEUE-08',
    tamper: turns(send, 429, { status: 409 }),
  },
  {
    ...base,
    id: 'v4-queue-full-takes-it',
    breaks: 'The eleventh pending message is refused with 429 and stored.',
    target: 'V4-QUEUE-08',
    tamper: rows(
      at('GET', queue),
      'queue',
      (() => {
        let full = 0;
        return (items: JsonObject[]): JsonObject[] => {
          if (items.length < 10) return items;
          full += 1;
          return full === 1 ? items : [...items, { ...items[0], id: 4711 }];
        };
      })(),
    ),
  },
  {
    ...base,
    id: 'v4-queue-word-lost',
    breaks: 'A withdrawn message has the status superseded.',
    target: 'V4-QUEUE-09',
    tamper: told(getMessage, (body) => (body['status'] === 'cancelled' ? { ...body, status: 'superseded' } : body)),
  },
  {
    ...base,
    id: 'v4-queue-mode-lost',
    breaks: 'Every message shows the mode queue.',
    target: 'V4-QUEUE-10',
    tamper: says(getMessage, { mode: 'queue' }),
  },
  {
    ...base,
    id: 'v4-queue-empty-400',
    breaks: 'A message without text is refused with 400.',
    target: 'V4-QUEUE-11',
    tamper: turns(
      at('POST', queue, (seen) => readBody(seen)['text'] === ''),
      422,
      { status: 400 },
    ),
  },
  {
    ...base,
    id: 'v4-queue-repeats',
    breaks: 'The deduplication header of a message is ignored.',
    target: 'V4-QUEUE-12',
    mayAlso: ['V4-QUEUE-03', 'V4-QUEUE-07', 'V4-QUEUE-08'],
    tamper: asks(send, ({ headers }) => ({ headers: { ...headers, 'x-v4-queue-deduplicate': undefined } })),
  },
  {
    ...base,
    id: 'v4-queue-cutoffs-empty',
    breaks: 'steeringCutoffs contains no run id.',
    target: 'V4-QUEUE-13',
    tamper: says(at('GET', queue), { steeringCutoffs: [] }),
  },
];
