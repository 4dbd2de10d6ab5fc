import { describe, expect, it } from 'vitest';
import { createRunContext } from './run-context.ts';
import { type Check, check } from '../core/check.ts';
import { defaultTarget } from '../core/default-target.ts';
import { judge, nothingSeen } from './judge.ts';
import { settle } from './options.ts';
import { findRequirement } from '../core/requirement.ts';
import { judgeFake } from '../testing/judge-fake.ts';

const settings = settle({ target: { ...defaultTarget, url: 'http://127.0.0.1:1' }, apiKey: 'svc_key' });
const { signal } = new AbortController();

function judgeWith(judgement: Check['judge'], id: Check['id'] = 'V3-GET-02'): ReturnType<typeof judge> {
  const requirement = findRequirement(id);
  if (requirement === undefined) throw new Error(`${id} is not in the registry`);
  const context = createRunContext({ settings, signal }).contextFor('test');
  const recording = (): never => {
    throw new Error('no scenario is expected');
  };
  return judge({ requirement, check: check(id, {}, judgement), context, only: undefined, recording });
}

describe('a judgement', () => {
  it('passes when everything holds', async () => {
    expect(await judgeWith((t) => t.expect(true, { message: '' }))).toMatchObject({ verdict: 'pass' });
  });

  it('is not testable when nothing was judged, never a silent pass', async () => {
    expect(await judgeWith(() => undefined)).toMatchObject({ verdict: 'notTestable', reason: nothingSeen });
  });

  it('expects something in every check on a service that offers everything', async () => {
    const report = await judgeFake({});
    expect(report.requirements.filter(({ reason }) => reason === nothingSeen).map(({ id }) => id)).toEqual([]);
  });

  it('is an error when the check itself breaks', async () => {
    const broken = await judgeWith(() => {
      throw new TypeError('broken');
    });
    expect(broken.verdict).toBe('error');
    expect(broken.reason).toContain('broken');
  });

  it('is an error when the suite would send a wrong request that was not meant to be wrong', async () => {
    const wrong = await judgeWith(async (t) => {
      await t.sessions.create({ body: { keepAlive: 'perhaps' } });
    });
    expect(wrong.verdict).toBe('error');
    expect(wrong.reason).toContain('createSession: /keepAlive must be boolean');
  });

  it('keeps what was found before an early end', async () => {
    const early = await judgeWith((t) => {
      t.expect(false, { message: 'found' });
      t.notRun('the run was interrupted');
    });
    expect(early).toMatchObject({ verdict: 'violation', findings: [{ message: 'found' }] });
  });

  it('gives the verdict of the level', async () => {
    const fails: Check['judge'] = (t) => t.expect(false, { message: 'found' });
    expect((await judgeWith(fails, 'V3-CREATE-12')).verdict).toBe('note');
    expect((await judgeWith(fails, 'V3-GET-02')).verdict).toBe('violation');
  });

  it('keeps what was found of each cell, where one fault is enough', async () => {
    const cells = await judgeWith((t) => {
      t.expect(true, { message: '', cell: 'gpt-5.5 low' });
      t.expect(false, { message: 'found', cell: 'gpt-5.5 high' });
      t.expect(true, { message: '', cell: 'gpt-5.5 high' });
    });
    expect(cells.judgedCells).toEqual([
      { cell: 'gpt-5.5 low', verdict: 'pass' },
      { cell: 'gpt-5.5 high', verdict: 'fail' },
    ]);
  });

  it('says why it is not testable', async () => {
    const judgement = await judgeWith((t) => t.notTestable('the target file names no operation'));
    expect(judgement).toMatchObject({ verdict: 'notTestable', reason: 'the target file names no operation' });
  });
});
