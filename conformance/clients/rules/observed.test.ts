import { describe, expect, it } from 'vitest';
import type { ClientExchange, ClientSocket, TrialRun } from '../recording.ts';
import { calledRequest } from '../operations-called.ts';
import { observedJudges } from './observed.ts';

/**
 * Members of a recorded exchange that differ from their defaults. `sent` is the request body, `answered` the response
 * body.
 */
interface Given extends Partial<Pick<ClientExchange, 'atMs' | 'host' | 'abandonedMs' | 'failure' | 'answerHeaders'>> {
  readonly sent?: object | string;
  readonly answered?: object;
  readonly status?: number;
  readonly key?: string;
}

const secondMs = 1000;

/** Creates a recording of the given requests and CDP connections, with defaults for all other members. */
function recorded(rows: readonly Row[], sockets: ClientSocket[] = []): TrialRun {
  return {
    trial: { name: 'observed', scenario: 'run', version: 'v4', judges: [] },
    input: { version: 'v4' },
    states: [],
    key: 'svc_key',
    exchanges: rows.map(recordedExchange),
    sockets,
    interruptedMs: undefined,
    printed: undefined,
    end: { code: 0, killed: undefined, atMs: 0, stalledMs: 0, stdout: '', stderr: '' },
    planted: { texts: [], decimal: undefined, kind: undefined, ids: [] },
  };
}

type Row = readonly [request: string, given?: Given];

function recordedExchange(
  [request, { sent, answered = {}, key = 'svc_key', ...given } = {}]: Row,
  index: number,
): ClientExchange {
  const [method = '', target = ''] = request.split(' ');
  const isCall = given.host !== 'elsewhere' && key !== '';
  const type = sent === undefined ? {} : { 'content-type': 'application/json' };
  const exchange: ClientExchange = {
    index,
    atMs: index * secondMs,
    endedMs: given.atMs ?? index * secondMs,
    host: 'service',
    method,
    target,
    headers: isCall ? { 'x-service-api-key': key, ...type } : type,
    body: Buffer.from(typeof sent === 'object' ? JSON.stringify(sent) : (sent ?? ''), 'latin1'),
    fault: undefined,
    abandonedMs: undefined,
    failure: undefined,
    status: 200,
    answerHeaders: {},
    answer: Buffer.from(JSON.stringify(answered)),
    ...calledRequest(method, target),
  };
  return { ...exchange, ...given };
}

const runs = '/api/v4/runs';
const task = { sent: { task: 'x' } };
const poll = (status: string, given: Given = {}): readonly [string, Given] => [
  `GET ${runs}/r/status`,
  { answered: { status }, ...given },
];
const events = (after: number, answered: object): readonly [string, Given] => [
  `GET ${runs}/r/events?after=${after}`,
  { answered },
];
const refusedRate: Given = { status: 429, answerHeaders: { 'retry-after': '2' } };
const bare: Given = { status: 429 };
const announce: readonly [string, Given] = [
  'POST /api/v4/workspaces/w/files/upload',
  {
    sent: { files: [{ name: 'a', contentType: 'text/csv', size: 2 }] },
    answered: { files: [{ uploadUrl: 'http://files/put/a?s=1' }] },
  },
];
const listed: readonly [string, Given] = [
  'GET /api/v4/workspaces/w/files',
  { answered: { files: [{ url: 'http://files/a?s=1' }] } },
];
const elsewhere = 'elsewhere' as const;
const browser: readonly [string, Given] = [
  'POST /api/v4/browsers',
  { sent: {}, answered: { id: 'b1', cdpUrl: 'ws://service/cdp/b1' } },
];
const stop: readonly [string, Given] = ['PATCH /api/v4/browsers/b1', { sent: { action: 'stop' } }];
const lost: ClientSocket = { atMs: 1, target: '/cdp/b1', headers: {}, closedBy: 'service', closedMs: 500 };

/**
 * For each rule, three recordings: traffic that violates the rule, traffic that complies with it, and traffic that
 * shows neither.
 */
const table: readonly (readonly [keyof typeof observedJudges, TrialRun, TrialRun, TrialRun])[] = [
  ['CLIENT-KEY-01', recorded([poll('running', { key: '' })]), recorded([poll('running')]), recorded([['GET /other']])],
  [
    'CLIENT-KEY-02',
    recorded([[`GET ${runs}?key=svc_key`]]),
    recorded([poll('running')]),
    { ...recorded([poll('running')]), key: undefined },
  ],
  [
    'CLIENT-REQUEST-05',
    recorded([[`POST ${runs}`, { sent: '{"task":"Gr\u00F6\u00DFe"}' }]]),
    recorded([[`POST ${runs}`, { sent: '{"task":"Gr\\u00F6\\u00DFe"}' }]]),
    recorded([[`POST ${runs}`, task]]),
  ],
  [
    'CLIENT-REQUEST-09',
    recorded([[`POST ${runs}`, { sent: { browserSettings: {} } }]]),
    recorded([[`POST ${runs}`, { sent: { browserSettings: { proxyCountryCode: null } } }]]),
    recorded([[`POST ${runs}`, task]]),
  ],
  [
    'CLIENT-POLL-02',
    recorded([poll('', refusedRate), poll('running')]),
    recorded([poll('', refusedRate), poll('running', { atMs: 2000 })]),
    recorded([poll('running'), poll('running')]),
  ],
  [
    'CLIENT-POLL-03',
    recorded([poll('', bare), poll('', bare), poll('running')]),
    recorded([poll('', bare), poll('', bare), poll('running', { atMs: 3000 })]),
    recorded([poll('', refusedRate), poll('', refusedRate), poll('running')]),
  ],
  [
    'CLIENT-POLL-04',
    recorded([poll('completed'), poll('completed'), poll('completed'), poll('completed'), poll('completed')]),
    recorded([poll('running'), poll('completed'), poll('completed')]),
    recorded([poll('running')]),
  ],
  [
    'CLIENT-POLL-05',
    recorded([poll('running')]),
    recorded([poll('running'), [`POST ${runs}/r/cancel`]]),
    recorded([[`POST ${runs}`, task]]),
  ],
  [
    'CLIENT-ERROR-05',
    recorded([
      [`POST ${runs}`, { ...task, status: 422 }],
      [`POST ${runs}`, { ...task, status: 422 }],
    ]),
    recorded([
      [`POST ${runs}`, { ...task, status: 422 }],
      [`POST ${runs}`, { sent: { task: 'y' } }],
    ]),
    recorded([[`POST ${runs}`, task]]),
  ],
  ...(
    [
      ['CLIENT-WRITE-01', { status: 0, failure: 'socket hang up' }],
      ['CLIENT-WRITE-02', { status: 500 }],
      ['CLIENT-WRITE-03', { status: 0, abandonedMs: 900 }],
    ] as const
  ).map(
    ([id, unsure]) =>
      [
        id,
        recorded([
          [`POST ${runs}`, { ...task, ...unsure }],
          [`POST ${runs}`, task],
        ]),
        recorded([[`POST ${runs}`, { ...task, ...unsure }], [`GET ${runs}`], [`POST ${runs}`, task]]),
        recorded([[`POST ${runs}`, task]]),
      ] as const,
  ),
  [
    'CLIENT-BROWSER-01',
    recorded([browser, browser], [lost]),
    recorded([browser, stop], [lost]),
    recorded([browser, stop]),
  ],
  ['CLIENT-BROWSER-02', recorded([browser]), recorded([browser, stop]), recorded([poll('running')])],
  ['CLIENT-BROWSER-03', recorded([browser], [lost]), recorded([browser, stop], [lost]), recorded([browser])],
  [
    'CLIENT-LIST-03',
    recorded([[`GET ${runs}`, { answered: { nextCursor: 'a+b' } }], [`GET ${runs}?cursor=a+b`]]),
    recorded([[`GET ${runs}`, { answered: { nextCursor: 'a+b' } }], [`GET ${runs}?cursor=a%2Bb`]]),
    recorded([[`GET ${runs}?cursor=of-yesterday`]]),
  ],
  [
    'CLIENT-EVENT-01',
    recorded([events(0, { events: [{ id: 1 }], nextAfter: 7 }), events(1, { events: [] })]),
    recorded([events(0, { events: [{ id: 1 }], nextAfter: 7 }), events(7, { events: [] })]),
    recorded([events(0, { events: [] })]),
  ],
  [
    'CLIENT-EVENT-02',
    recorded([events(0, { events: [] })]),
    recorded([events(0, { events: [] }), events(0, { events: [{ type: 'run.completed' }] })]),
    recorded([events(0, { events: [{ type: 'run.completed' }] })]),
  ],
  [
    'CLIENT-FILE-01',
    recorded([announce, ['POST /put/a?s=1', { host: elsewhere }]]),
    recorded([announce, ['PUT /put/a?s=1', { host: elsewhere }]]),
    recorded([announce]),
  ],
  [
    'CLIENT-FILE-02',
    recorded([announce, ['PUT /put/a?s=1', { host: elsewhere, sent: 'a,' }]]),
    { ...recorded([announce]), exchanges: withUpload('text/csv') },
    recorded([announce]),
  ],
  [
    'CLIENT-FILE-04',
    recorded([listed, ['GET /a?s=1&more=1', { host: elsewhere }]]),
    recorded([listed, ['GET /a?s=1', { host: elsewhere }]]),
    recorded([listed]),
  ],
  [
    'CLIENT-FILE-05',
    recorded([listed, ['GET /a?s=1', { host: elsewhere, status: 403 }], ['GET /a?s=1', { host: elsewhere }]]),
    recorded([listed, ['GET /a?s=1', { host: elsewhere, status: 403 }], listed, ['GET /a?s=1', { host: elsewhere }]]),
    recorded([listed, ['GET /a?s=1', { host: elsewhere }]]),
  ],
];

function withUpload(type: string): ClientExchange[] {
  const { exchanges } = recorded([announce, ['PUT /put/a?s=1', { host: elsewhere, sent: 'a,' }]]);
  return exchanges.map((one) => (one.method === 'PUT' ? { ...one, headers: { 'content-type': type } } : one));
}

describe('a rule that is judged by traffic', () => {
  const rows = table.map(([id, ...given]) => ({ id, given }));
  it.each(rows)('$id is broken, kept or open', ({ id, given }) => {
    expect(given.map((run) => observedJudges[id](run).verdict)).toEqual(['broken', 'kept', 'open']);
  });

  it('accepts a second browser that was created before the connection to the first one was lost', () => {
    const judge = observedJudges['CLIENT-BROWSER-01'];
    expect(judge(recorded([browser, browser, stop], [lost])).verdict).toBe('broken');
    expect(judge(recorded([browser, browser, stop], [{ ...lost, closedMs: 1_500 }])).verdict).toBe('kept');
  });

  it('begins the questions about a session anew with a follow-up', () => {
    const ask: readonly [string, Given] = ['GET /api/v3/sessions/s', { answered: { status: 'idle' } }];
    const followUp: readonly [string, Given] = ['POST /api/v3/sessions', { sent: { sessionId: 's', task: 'y' } }];
    const judge = observedJudges['CLIENT-POLL-04'];
    expect(judge(recorded([ask, ask, ask, ask, ask])).verdict).toBe('broken');
    expect(judge(recorded([ask, ask, ask, followUp, ask, ask])).verdict).toBe('kept');
  });
});
