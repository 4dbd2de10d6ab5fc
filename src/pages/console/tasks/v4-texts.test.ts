import { describe, expect, it } from 'vitest';
import { eventWords, liveAddress, resultText, stepLapses, wantedRun } from './v4-texts.ts';

const event = (type: string, data: Record<string, unknown>) => ({
  runId: 'r',
  id: 1,
  ts: '2026-11-01T09:00:00.000Z',
  type,
  data,
});

describe('events', () => {
  it.each([
    [event('agent.step', { summary: 'Opened it', url: 'https://a.example/' }), 'Opened it', 'https://a.example/'],
    [event('agent.step', { summary: 'Thought', url: 'about:blank' }), 'Thought', null],
    [event('model.call', { input_tokens: 12, output_tokens: 0 }), 'Model: 12 tokens read, 0 written', null],
    [event('run.completed', { success: false, reason: 'It gave up' }), 'The task has ended: It gave up', null],
    [event('run.judged', { verdict: true, reasoning: '' }), 'The judge: achieved', null],
    [event('run.judged', { verdict: false, reasoning: 'No title' }), 'The judge: not achieved. No title', null],
    [event('something.new', {}), 'something.new', null],
  ])('%o', (given, text, url) => expect(eventWords(given)).toEqual({ text, url }));

  it('tell how long each step took, the first one from when the browser was ready', () => {
    const at = (id: number, type: string, second: number) => ({
      ...event(type, {}),
      id,
      ts: `2026-11-01T09:00:0${second}.000Z`,
    });
    const events = [
      at(1, 'run.started', 0),
      at(2, 'browser.ready', 2),
      at(3, 'agent.step', 5),
      at(4, 'model.call', 6),
      at(5, 'agent.step', 9),
    ];
    expect([...stepLapses(events)]).toEqual([
      [3, '3.0 s'],
      [5, '4.0 s'],
    ]);
    expect([...stepLapses(events.slice(2))]).toEqual([
      [3, null],
      [5, '4.0 s'],
    ]);
  });

  it('tell where the browser can be watched, by the latest of them', () => {
    const ready = (live: unknown) => event('browser.ready', { live_view_url: live });
    expect(liveAddress([ready('http://h/live/a'), ready('http://h/live/b')])).toBe('http://h/live/b');
    expect([liveAddress([]), liveAddress([ready(1)]), liveAddress([ready('live')])]).toEqual([null, null, null]);
  });
});

describe('a result', () => {
  it.each([
    [{ result: 'text' }, 'text'],
    [{ result: null }, null],
    [{ result: 'as text', output: { a: 1 }, outputSchema: {} }, '{\n  "a": 1\n}'],
    [{ result: 'as text', output: null, outputSchema: {} }, 'as text'],
  ])('%o', (given, want) => expect(resultText(given)).toBe(want));
});

describe('a form for a task', () => {
  const asked = (fields: Readonly<Record<string, string>>) =>
    wantedRun({ text: (name) => fields[name] ?? '', isTicked: (name) => name in fields, files: () => [] });

  it('asks for nothing that was not chosen', () => {
    expect(asked({ task: 'x', model: 'm' })).toEqual({ task: 'x', model: 'm' });
  });

  it('asks for what was', () => {
    const chosen = { task: 'x', model: 'm', ceiling: '0.5', country: 'none', profile: 'p', record: 'on', inbox: 'on' };
    expect(asked(chosen)).toEqual({
      task: 'x',
      model: 'm',
      maxCostUsd: '0.5',
      inbox: true,
      browserSettings: { proxyCountryCode: null, profileId: 'p', record: true },
    });
    expect(asked({ ...chosen, country: 'de' })).toMatchObject({ browserSettings: { proxyCountryCode: 'de' } });
  });
});
