import { describe, expect, it } from 'vitest';
import { costRows, workerWords } from './session-detail.ts';

const run = (answeredBy: 'model' | 'offline_planner' | 'simulation' | null, llmMicros = 0) => ({
  answeredBy,
  llmMicros,
  browserMicros: 20_000,
  proxyMicros: 0,
});

describe('what answered runs', () => {
  it.each([
    { given: [], want: 'gpt' },
    { given: [run(null)], want: 'gpt' },
    { given: [run('model')], want: 'gpt' },
    { given: [run('offline_planner'), run(null)], want: 'offline planner' },
    { given: [run('simulation')], want: 'simulated model' },
    { given: [run('offline_planner'), run('model')], want: 'gpt and offline planner' },
  ])('is $want', ({ given, want }) => expect(workerWords('gpt', given)).toBe(want));
});

describe('the parts of a cost', () => {
  it('keep simulated tokens apart from those of a model, and leave out what costs nothing', () => {
    const shown = (runs: ReturnType<typeof run>[]) => costRows(runs).filter(([, cost]) => cost !== null);
    expect(shown([run('model', 50_000)])).toEqual([
      ['For the model', '$0.05'],
      ['For the browser', '$0.02'],
    ]);
    expect(shown([run('simulation', 50_000)])).toEqual([
      ['Simulated tokens', '$0.05'],
      ['For the browser', '$0.02'],
    ]);
    expect(shown([run('offline_planner')])).toEqual([['For the browser', '$0.02']]);
  });
});
