import type { CdpOutcome } from '../core/cdp.ts';
import type { HarEntry } from './har.ts';
import { queryOf } from './har-entry.ts';

/** The outcome of a CDP call and its place in the order of all that happened. */
export interface TurnedOutcome {
  turn: number;
  outcome: CdpOutcome;
}

/** Connections of automation clients as entries: what was asked for and what came of it, in the order of the outcomes. */
export function socketEntries(outcomes: readonly TurnedOutcome[], beginMs: number): HarEntry[] {
  const byConnection = Map.groupBy(outcomes, ({ outcome }) => `${outcome.sentBy} ${outcome.connection}`);
  return [...byConnection.values()].flatMap((calls) => {
    const [first] = calls;
    return first === undefined ? [] : [entryOf(first.outcome, { calls, beginMs })];
  });
}

function entryOf(first: CdpOutcome, { calls, beginMs }: { calls: TurnedOutcome[]; beginMs: number }): HarEntry {
  const begin = first.atMs - first.durationMs;
  const last = calls.at(-1)?.outcome ?? first;
  const url = first.words[0] ?? '';
  return {
    startedDateTime: new Date(beginMs + begin).toISOString(),
    time: last.atMs - begin,
    request: {
      method: 'GET',
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      queryString: queryOf(url),
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: first.fault === undefined ? 101 : 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: '', text: '' },
      redirectURL: '',
      headersSize: -1,
      bodySize: 0,
      ...(first.fault === undefined ? {} : { _error: first.fault }),
    },
    cache: {},
    timings: { send: 0, wait: first.durationMs, receive: last.atMs - first.atMs },
    _resourceType: 'websocket',
    _webSocketMessages: calls.flatMap((call) => messagesOf(call, beginMs)),
    _svc: { client: first.client, sentBy: first.sentBy, connection: first.connection },
  };
}

// A client library hides its websocket frames, so the recording has the calls instead.
function messagesOf({ turn, outcome }: TurnedOutcome, beginMs: number): NonNullable<HarEntry['_webSocketMessages']> {
  const { call, words, value, fault, atMs, durationMs } = outcome;
  const seconds = (ms: number): number => (beginMs + ms) / 1000;
  const answer = fault === undefined ? { value: value === undefined ? null : value } : { fault };
  return [
    { type: 'send', time: seconds(atMs - durationMs), opcode: 1, data: JSON.stringify({ call, words }) },
    {
      type: 'receive',
      time: seconds(atMs),
      opcode: 1,
      data: JSON.stringify(answer),
      _svc: {
        turn,
        call,
        words: [...words],
        atMs,
        durationMs,
        ...(value === undefined ? {} : { value: typeof value === 'string' ? value : [...value] }),
        ...(fault === undefined ? {} : { fault }),
      },
    },
  ];
}
