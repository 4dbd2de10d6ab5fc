import { pino } from 'pino';
import { expect, it } from 'vitest';
import { defaultRules } from '#contract/rule-book.ts';
import { createExaminations, type Examined, type ExaminationDeps } from './examinations.ts';

const order = { generations: ['v3'], spend: 'none' } as never;

/**
 * Creates {@link Examinations} with a fake examiner. The returned `run` starts a run for a project and lets it end with
 * a report.
 */
function prepare() {
  const ends: ((result: Examined) => void)[] = [];
  const examiner = {
    examine: () => new Promise<Examined>((resolve) => ends.push(resolve)),
    close: async () => undefined,
  };
  const keys = { issue: async () => ({ key: 'k', issued: { id: 'i' } }), revoke: async () => null };
  const deps = { examiner, keys, clock: { now: () => 0 }, rules: defaultRules, log: pino({ enabled: false }) };
  const runs = createExaminations({ ...deps, listensOn: () => 'http://127.0.0.1:1' } as unknown as ExaminationDeps);
  const run = async (projectId: string): Promise<void> => {
    expect(await runs.start(projectId, order)).toMatchObject({ state: 'running' });
    await expect.poll(() => ends.length).toBe(1);
    ends.pop()?.({ violations: 0, passed: 1, html: `report of ${projectId}` });
    await expect.poll(() => runs.last(projectId)?.state).toBe('ended');
  };
  return { runs, run };
}

it('keeps the last run of each project with its report, also after a run of another project', async () => {
  const { runs, run } = prepare();
  await run('one');
  await run('two');
  const tickets = ['one', 'two'].map((project) => runs.last(project)?.reportPath?.split('/').at(-1) ?? '');
  expect(tickets.map((ticket) => runs.report(ticket))).toEqual(['report of one', 'report of two']);
  expect([runs.last('three'), runs.report('other')]).toEqual([null, null]);
});

it('starts no run while another project has one in progress', async () => {
  const { runs } = prepare();
  await runs.start('one', order);
  expect(await runs.start('two', order)).toBeNull();
});

it('forgets the oldest of more than 20 runs', async () => {
  const { runs, run } = prepare();
  for (let project = 0; project <= 20; project += 1) await run(`p${project}`);
  expect([runs.last('p0'), runs.last('p1')?.state, runs.last('p20')?.state]).toEqual([null, 'ended', 'ended']);
});
