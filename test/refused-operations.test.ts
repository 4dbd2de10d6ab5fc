import { describe, expect, it } from 'vitest';
import { runVerdict } from '#conformance/index.ts';
import type { Given } from './mutants/mutant.ts';
import { judge } from './mutants/run-mutant.ts';

/** Judges the creation of V3 sessions on the reference with changed answers to accepted creations. */
async function judgeAnswered(change: (given: Given) => Partial<Given>): Promise<ReturnType<typeof runVerdict>> {
  const { report } = await judge(
    {
      server: 'reference',
      tamper: {
        answer: ({ method, url }, given) =>
          method === 'POST' && url === '/api/v3/sessions' && given.status < 300 ? change(given) : undefined,
      },
    },
    { only: ['V3-CREATE-01', 'V3-CREATE-05', 'AUTH-02'] },
  );
  return runVerdict(report);
}

describe('a target that refuses a whole operation', () => {
  it.each([402, 403, 409])('makes the run incomplete with %i', async (status) => {
    const { exitCode, text } = await judgeAnswered(() => ({ status, body: { detail: 'no' } }));
    expect({ exitCode, text }).toEqual({
      exitCode: 4,
      text: expect.stringContaining(`INCOMPLETE: v3.createSession answered ${status}`),
    });
  });

  it('makes the run incomplete when its ids stand in another place, and names the place', async () => {
    const { exitCode, text } = await judgeAnswered(({ body }) => ({ body: { data: body } }));
    expect({ exitCode, text }).toEqual({
      exitCode: 4,
      text: expect.stringContaining('v3.createSession carries an id at "data.id", not at "id" (v3.idIn'),
    });
  });

  it('passes when it answers a creation with 200 and its record', async () => {
    expect((await judgeAnswered(() => ({}))).exitCode).toBe(0);
  });
});
