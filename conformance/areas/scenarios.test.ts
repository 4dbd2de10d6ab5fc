import { describe, expect, it } from 'vitest';
import { checks } from './index.ts';
import { defaultProviderStub, defaultTarget } from '../core/default-target.ts';
import { scenarios } from './scenarios.ts';

const url = 'http://127.0.0.1';
const providerStub = { ...defaultProviderStub, listen: '127.0.0.1:1' };
const { v3 } = defaultTarget;
if (v3?.followUp === null || v3 === null) throw new Error('the default target has no follow-ups');
const ownFollowUp = { ...v3, followUp: { ...v3.followUp, path: '/sessions/{id}/tasks' } };
const targets = [
  { ...defaultTarget, url },
  { ...defaultTarget, url, stateless: true },
  { ...defaultTarget, url, providerStub },
  { ...defaultTarget, url, v3: ownFollowUp },
  { ...defaultTarget, url, control: url },
];

describe('the list of scenarios', () => {
  it('has every scenario that a check needs', () => {
    const needed = checks.flatMap((check) => targets.flatMap((target) => check.needs(target)));
    expect(needed.filter((item) => !scenarios.includes(item)).map(({ name }) => name)).toEqual([]);
  });

  it('has no scenario that no check needs', () => {
    const needed = new Set(checks.flatMap((check) => targets.flatMap((target) => check.needs(target))));
    expect(scenarios.filter((item) => !needed.has(item)).map(({ name }) => name)).toEqual([]);
  });

  it('has unique names', () => {
    expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
  });
});
