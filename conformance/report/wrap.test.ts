import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curlLine } from '../core/script-lines.ts';
import { wrap, wrapCommand, wrapJson } from './wrap.ts';

const width = 60;

function longest(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}

describe('text of a terminal', () => {
  it('keeps to the width, also for words that are longer', () => {
    const text = wrap(`a sentence with ${'x'.repeat(200)} in it`, width, '    ');
    expect(longest(text)).toBeLessThanOrEqual(width);
    expect(text.replaceAll(/\s+/g, '')).toContain('x'.repeat(200));
  });

  it('keeps to the width for JSON, and leaves out nothing', () => {
    const json = JSON.stringify({
      detail: [{ msg: 'y'.repeat(150), list: Array.from({ length: 40 }, (_, at) => at) }],
    });
    const text = wrapJson(json, width, '  ');
    expect(longest(text)).toBeLessThanOrEqual(width);
    expect(text.replaceAll('\n  ', '')).toBe(json);
  });
});

/** Returns the arguments that a shell passes to the command of a line. */
function shellWords(line: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${line}`;
  return execFileSync('sh', ['-c', script], { env: { SERVICE_API_KEY: 'svc_key' } })
    .toString()
    .split('\0')
    .slice(0, -1);
}

describe('a command of a terminal', () => {
  it('means the same to a shell as the line that it was made of', () => {
    const body = fc.oneof(
      fc.json(),
      fc.constantFrom("it's", '{"a":"it\'s, \\"b\\""}', '{"broken": [1,', '[{"a":1},{"b":"c d"}]'),
    );
    fc.assert(
      fc.property(body, fc.webPath(), fc.integer({ min: 30, max: 120 }), (text, path, columns) => {
        const request = {
          method: 'POST',
          url: `http://127.0.0.1:1/api${path}`,
          headers: { 'X-Service-API-Key': '$SERVICE_API_KEY', 'content-type': 'application/json' },
          body: text.replaceAll('\0', ''),
        };
        const line = curlLine({ request });
        const [before, after] = [shellWords(line), shellWords(wrapCommand(line, columns, '    '))];
        expect(after.map((word) => plain(word))).toEqual(before.map((word) => plain(word)));
      }),
      { seed: 3, numRuns: 60 },
    );
  });
});

/**
 * Parses a word as JSON, because line breaks between members do not change the value. Returns any other word unchanged.
 */
function plain(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch (error) {
    if (error instanceof SyntaxError) return word;
    throw error;
  }
}
