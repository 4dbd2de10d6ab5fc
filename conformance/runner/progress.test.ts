import { expect, it } from 'vitest';
import type { Progress, ProgressCounts } from './settings.ts';
import { judgeFake } from '../testing/judge-fake.ts';

it('a run tells of its plan, of what it drives, of every row that it judges, and of its end', async () => {
  const events: Progress[] = [];
  let last: ProgressCounts | undefined;
  const report = await judgeFake({
    faults: ['one V3 cell accepted'],
    options: {
      only: ['V3-THINK-REFUSES', 'LIFE-06', 'V3-GET-02'],
      onProgress: (event, counts) => {
        events.push(event);
        last = counts();
      },
    },
  });
  expect(events[0]).toEqual({ kind: 'planned' });
  expect(events.at(-1)).toEqual({ kind: 'cleaning' });
  const judged = events.filter((event) => event.kind === 'judged');
  expect(judged.map(({ id }) => id).toSorted()).toEqual(['LIFE-06', 'V3-GET-02', 'V3-THINK-REFUSES']);
  expect(judged.find(({ id }) => id === 'V3-THINK-REFUSES')).toMatchObject({
    verdict: 'violation',
    message: expect.stringContaining('answered 200'),
  });
  const driven = (kind: Progress['kind']): string[] =>
    events.flatMap((event) => (event.kind === kind && 'name' in event ? [event.name] : [])).toSorted();
  expect(driven('scenarioStarted')).toEqual(['kept-session', 'session-refusals']);
  expect(driven('scenarioEnded')).toEqual(driven('scenarioStarted'));
  expect(last).toMatchObject({ judged: 3, planned: 3, created: report.created.length });
});

it('a free run has created nothing at any time, although it sends requests that must be refused', async () => {
  let count: (() => ProgressCounts) | undefined;
  const created: number[] = [];
  await judgeFake({
    options: { spend: 'none', only: ['V3-THINK-REFUSES'], onProgress: (_event, counts) => (count = counts) },
    // The request is not answered yet.
    onRequest: () => created.push(count?.().created ?? 0),
  });
  expect(created.length).toBeGreaterThan(50);
  expect(Math.max(...created)).toBe(0);
});
