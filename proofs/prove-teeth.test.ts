import { readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { allMutants } from '../test/mutants/all-mutants.ts';
import { predictedWrong, proveTeeth } from './prove-teeth.ts';

const [mutant] = allMutants;
const caught = {
  key: mutant?.id ?? '',
  server: mutant?.id ?? '',
  seed: 1,
  failing: [mutant?.target ?? ''],
  errors: [],
  left: 0,
  requests: 10,
  seconds: 1,
  notes: [],
};

it('has no problem with a mutant that its target catches', () => {
  expect(predictedWrong(caught)).toEqual([]);
});

it('reports a mutant that changes nothing', () => {
  expect(predictedWrong({ ...caught, failing: [], hasChanged: false })).toEqual([
    expect.stringContaining('the mutant changed nothing'),
    `not caught by ${mutant?.target}`,
  ]);
});

it('reports a check that fails on the unbroken server', () => {
  expect(predictedWrong({ ...caught, key: `unbroken: ${mutant?.id}` })).toEqual([
    `${mutant?.target} fails on the server that nothing has broken, and so catches nothing`,
  ]);
});

it('leaves the evidence as it is when only some mutants are chosen', async () => {
  const evidence = 'docs/evidence/teeth.md';
  const before = [statSync(evidence).mtimeMs, readFileSync(evidence, 'utf8')];
  const options = { only: 'no mutant of this name', seedsMax: 0, jobs: 1, minutes: 1, fresh: false };
  await expect(proveTeeth(options)).rejects.toThrow('found no name with "no mutant of this name" in it');
  expect([statSync(evidence).mtimeMs, readFileSync(evidence, 'utf8')]).toEqual(before);
});
