import * as fc from 'fast-check';

/** One value of a generator, the same for the same seed and purpose. */
export function draw<T>(arbitrary: fc.Arbitrary<T>, { seed, purpose }: { seed: number; purpose: string }): T {
  let salt = seed | 0;
  for (const letter of purpose) salt = (Math.imul(salt, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  const [value] = fc.sample(arbitrary, { seed: salt, numRuns: 1 });
  if (value === undefined) throw new Error('the generator has no values');
  return value;
}
