import { describe, expect, it } from 'vitest';
import type { V2TaskItem } from '../api/types.ts';
import { latestTasks } from './latest-tasks.ts';
import { stepHappening } from './step-happening.ts';

const step = {
  number: 2,
  memory: 'Read it',
  evaluationPreviousGoal: '',
  nextGoal: '',
  url: 'https://a.example/',
  actions: [],
};
const renew = async (): Promise<string | null> => null;

describe('a V2 session', () => {
  it('is called by the latest of its tasks', () => {
    const task = (id: string, sessionId: string): V2TaskItem => ({
      id,
      sessionId,
      llm: 'm',
      task: id,
      status: 'finished',
      createdAt: '2026-11-01T09:00:00.000Z',
      metadata: {},
    });
    const latest = latestTasks([task('c', 's'), task('b', 't'), task('a', 's')]);
    expect([latest.get('s')?.id, latest.get('t')?.id, latest.get('u')]).toEqual(['c', 'b', undefined]);
  });

  it('has steps that say what was done and is wanted, with their pictures', () => {
    const screenshotUrl = 'https://svc.example/below/screenshots/k.jpg?expires=1';
    expect(stepHappening({ ...step, nextGoal: 'Go on', screenshotUrl }, renew)).toMatchObject({
      text: 'Read it — Go on',
      url: 'https://a.example/',
      shot: { address: 'screenshots/k.jpg?expires=1', name: 'Picture of step 2: Read it' },
    });
    expect(stepHappening({ ...step, url: 'about:blank', screenshotUrl: null }, renew)).toMatchObject({
      text: 'Read it',
      url: null,
      shot: null,
    });
  });
});
