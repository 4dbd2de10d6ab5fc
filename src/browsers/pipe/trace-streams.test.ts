import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#lib/json.ts';
import { createTraceStreams, type TraceStreams } from './trace-streams.ts';

/** Path of a browser's folder. In traces, Chromium writes such a path unchanged or escaped like `inJson`. */
const folder = '/data/josé/browsers/b1';
const inJson = String.raw`/data/jos\u00e9/browsers/b1`;

/** Reads a trace stream that the browser returns in the given pieces. Returns the text that the client receives. */
function readAll(traces: TraceStreams, pieces: readonly string[]): string {
  return pieces
    .map((data, index) => {
      const { wish } = traces.sent({ id: index, method: 'IO.read', params: { handle: '1', size: 10 } });
      if (typeof wish !== 'function') throw new Error('the reply is not read');
      const { result = {} }: { result?: JsonObject } = wish({
        id: index,
        result: { data, eof: index === pieces.length - 1 },
      });
      return Buffer.from(String(result['data']), 'base64').toString();
    })
    .join('');
}

describe.each([
  ['as it is', folder],
  ['escaped for JSON', inJson],
])('a folder of the browser, %s', (_how, written) => {
  const text = `{"args":{"path":"${written}/profile/Default/Cookies"},"cat":"sql"}`;

  it('is overwritten in an event with part of a trace', () => {
    const event = Buffer.from(`{"method":"Tracing.dataCollected","params":{"value":[${text}]}}`);
    const { length } = event;
    createTraceStreams([folder]).hideFolders(event);
    expect(String(event)).not.toContain('browsers/b1');
    expect(String(event)).toContain('/profile/Default/Cookies');
    expect(event).toHaveLength(length);
  });

  it('is left in other events, which a page may have caused', () => {
    const event = Buffer.from(`{"method":"Runtime.consoleAPICalled","params":{"value":[${text}]}}`);
    createTraceStreams([folder]).hideFolders(event);
    expect(String(event)).toContain(written);
  });

  it('is overwritten in a stream, wherever a read ends', () => {
    const whole = `{"traceEvents":[${text}],"metadata":{"command_line":"--secret"}}`;
    for (let at = 1; at < whole.length; at += 1) {
      const shown = readAll(createTraceStreams([folder]), [whole.slice(0, at), whole.slice(at)]);
      expect(shown).not.toContain('browsers/b1');
      expect(shown).toContain('/profile/Default/Cookies"},"cat":"sql"}]}');
      expect(shown).not.toContain('--secret');
    }
  });
});
