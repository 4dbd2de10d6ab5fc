import { describe, expect, it } from 'vitest';
import { isAlive, isWorking, messageWords, outputText } from './v3-texts.ts';

describe('a V3 session', () => {
  it.each([
    [{ role: 'human', data: 'Do it\nnow', type: 'user_message', summary: 'Do it' }, 'Asked: Do it\nnow'],
    [{ role: 'ai', data: '{"kind":"open"}', type: 'browser_action', summary: 'Opened it' }, 'Opened it'],
    [{ role: 'ai', data: '{"kind":"open"}', type: 'browser_action', summary: '' }, '{"kind":"open"}'],
    [{ role: 'ai', data: 'All of it', type: 'completion', summary: 'All' }, 'The task has ended: All'],
    [{ role: 'ai', data: '', type: 'completion', summary: '' }, 'The task has ended'],
  ] as const)('has messages that say: %o', (message, want) => expect(messageWords(message)).toBe(want));

  it.each([
    [null, null],
    [undefined, null],
    ['', null],
    ['text', 'text'],
    [{ a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
    [false, 'false'],
  ])('has an output: %o', (output, want) => expect(outputText(output)).toBe(want));

  it('works and lives as its status says', () => {
    const all = ['created', 'running', 'idle', 'stopped', 'timed_out', 'error'];
    expect(all.map(isWorking)).toEqual([true, true, false, false, false, false]);
    expect(all.map(isAlive)).toEqual([true, true, true, false, false, false]);
  });
});
