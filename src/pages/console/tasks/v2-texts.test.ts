import { describe, expect, it } from 'vitest';
import { stepHappening } from './v2-texts.ts';

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
  it('has steps that say what was done and is wanted, with their pictures', () => {
    const screenshotUrl = 'https://svc.example/below/screenshots/k.jpg?expires=1';
    expect(stepHappening({ ...step, nextGoal: 'Go on', screenshotUrl }, '1.5 s', renew)).toMatchObject({
      lapse: '1.5 s',
      text: 'Read it — Go on',
      url: 'https://a.example/',
      shot: { address: 'screenshots/k.jpg?expires=1', name: 'Picture of step 2: Read it' },
    });
    expect(stepHappening({ ...step, url: 'about:blank', screenshotUrl: null }, null, renew)).toMatchObject({
      text: 'Read it',
      url: null,
      shot: null,
    });
  });
});
