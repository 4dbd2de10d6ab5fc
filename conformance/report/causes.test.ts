import { describe, expect, it } from 'vitest';
import { judgeFake } from '../testing/judge-fake.ts';
import { createRow } from '../testing/create-report.ts';
import { reportCauses } from './causes.ts';

const judged = await judgeFake({
  faults: ['pair answers 400', 'malformed id answers 404', 'one V3 cell accepted', 'no updatedAt'],
  options: { spend: 'none' },
});

describe('the causes of findings', () => {
  it('joins what one wrong status code has caused, whatever the requirement and the operation', () => {
    const cause = reportCauses(judged).find(({ title }) => title === 'answered 400; expected 422');
    expect(cause).toMatchObject({ verdict: 'violation', profile: 'documented', accepted: false });
    expect(cause?.requirements).toEqual(expect.arrayContaining(['ERR-06', 'ERR-07', 'V3-THINK-REFUSES']));
    expect(cause?.operations).toEqual(['v3 createSession', 'v2 createTask']);
    expect(cause?.cells).toContain('gpt-5-mini disabled');
    expect(cause?.failures).toBeGreaterThan(cause?.cells.length ?? 0);
  });

  it('joins answers that a document does not list, and bodies of these answers', () => {
    const [cause] = reportCauses(judged);
    const failure = judged.requirements.find(({ id }) => id === cause?.example?.requirement)?.failures[0];
    if (failure === undefined) throw new Error('expected an example of a cause');
    const bare = { replay: failure.replay, exchange: failure.exchange ?? 0 };
    const undocumented = 'x answered 400: the status 400 is not documented; expected one of 200, 401, 422';
    const failures = [
      { ...bare, message: undocumented },
      { ...bare, message: 'x answered 400: /detail must be string', member: '/detail' },
    ];
    const report = {
      ...judged,
      requirements: [...judged.requirements, createRow('A', { verdict: 'violation', failures })],
    };
    expect(reportCauses(report).map(({ title, requirements }) => [title, requirements.includes('A')])).toEqual(
      reportCauses(judged).map(({ title }) => [title, title === 'answered 400; expected 422']),
    );
    const alone = { ...judged, requirements: [createRow('A', { verdict: 'violation', failures })] };
    expect(reportCauses(alone).map(({ title }) => title)).toEqual([
      'answered 400; expected a documented status',
      'x answered 400: /detail must be string',
    ]);
  });

  it('reads the expected status behind a value that contains the word "unexpected"', () => {
    const failure = judged.requirements
      .flatMap(({ failures }) => failures)
      .find(({ message }) => /answered 400/.test(message));
    if (failure === undefined) throw new Error('expected a failure with status 400');
    const message = 'x task {"unexpected":"value"} answered 400; expected a refusal with 422';
    const failures = [{ replay: failure.replay, exchange: failure.exchange ?? 0, message }];
    const alone = { ...judged, requirements: [createRow('A', { verdict: 'violation', failures })] };
    expect(reportCauses(alone).map(({ title }) => title)).toEqual(['answered 400; expected 422']);
  });

  it('keeps another status and an accepted request apart', () => {
    const titles = reportCauses(judged).map(({ title }) => title);
    expect(titles).toContain('answered 404; expected 422');
    expect(titles).toContain('v3 createSession answered 200; expected 422');
  });

  it('has every finding once, and an example for each cause', () => {
    const causes = reportCauses(judged);
    const failures = judged.requirements.reduce((sum, row) => sum + row.failures.length, 0);
    expect(causes.reduce((sum, cause) => sum + cause.failures, 0)).toBe(failures);
    for (const { example } of causes) {
      const row = judged.requirements.find(({ id }) => id === example?.requirement);
      expect(row?.failures[example?.failure ?? -1]).toBeDefined();
    }
  });

  it('keeps known failures apart from open ones, and puts them last', () => {
    const accepted = { reason: 'known', expires: '2027-01-01' };
    const requirements = judged.requirements.map((row) => (row.id === 'ERR-06' ? { ...row, accepted } : row));
    const causes = reportCauses({ ...judged, requirements }).filter(({ title }) => title.includes('400'));
    expect(causes.map((cause) => [cause.accepted, cause.requirements.includes('ERR-06')])).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(reportCauses({ ...judged, requirements }).at(-1)?.accepted).toBe(true);
  });

  it('joins faults of the suite by their first line', () => {
    const broken = { verdict: 'error', reason: 'TypeError: x\n at y' } as const;
    const requirements = [createRow('A', broken), createRow('B', broken), createRow('C', { verdict: 'notRun' })];
    expect(reportCauses({ ...judged, requirements })).toEqual([
      {
        title: 'TypeError: x',
        verdict: 'error',
        profile: 'documented',
        accepted: false,
        requirements: ['A', 'B'],
        operations: [],
        cells: [],
        failures: 0,
      },
    ]);
  });
});
