import * as fc from 'fast-check';
import type { JsonObject } from '../../core/json.ts';
import { unusualText } from './unusual-text.ts';

/** Bounds of a screen in pixels. */
const bounds = { width: [320, 6144], height: [320, 3456] } as const;

/** Members of a V4 run that change neither its goal nor what it may cost: each named with a legal value, null where it may be. */
export function runOptions(): fc.Arbitrary<JsonObject> {
  return fc.record({
    browserSettings: fc.record({
      profileId: fc.constant(null),
      proxyCountryCode: fc.constantFrom('us', null),
      customProxy: fc.constant(null),
      screenWidth: fc.constantFrom(1280, ...bounds.width),
      screenHeight: fc.constantFrom(720, ...bounds.height),
      record: fc.constantFrom(false, null),
    }),
    attachedFileIds: fc.constantFrom(null, []),
    judge: fc.constant(null),
    secretBindings: fc.constantFrom(null, []),
    inbox: fc.constant(false),
  });
}

/** Members of a V3 session that change neither its goal nor what it may cost: each named with a legal value, null where it may be. */
export function sessionOptions(): fc.Arbitrary<JsonObject> {
  return fc.record({
    enableScheduledTasks: fc.constant(false),
    skills: fc.boolean(),
    cacheScript: fc.constantFrom(null, false),
    autoHeal: fc.boolean(),
    useOwnKey: fc.constant(false),
    profileId: fc.constant(null),
    workspaceId: fc.constant(null),
    sensitiveData: fc.constant(null),
    outputSchema: fc.constant(null),
    thinkingLevel: fc.constant(null),
    proxyCountryCode: fc.constantFrom('us', null),
  });
}

/** Members of a V2 task that change neither its goal nor what it may cost: each named with a legal value, null where it may be. */
export function taskOptions(): fc.Arbitrary<JsonObject> {
  return fc.record({
    metadata: labels(),
    maxSteps: fc.constantFrom(100, 101, 10_000),
    highlightElements: fc.boolean(),
    flashMode: fc.constant(false),
    vision: fc.constantFrom(true, 'auto'),
    systemPromptExtension: fc.constantFrom('', 'Answer briefly – in one “word”.'),
    judge: fc.constant(false),
    judgeGroundTruth: fc.constant(null),
    judgeLlm: fc.constant(null),
    startUrl: fc.constant(null),
    allowedDomains: fc.constant(null),
    sessionSettings: fc.constant(null),
  });
}

/** Most pairs of the metadata of a task or browser. */
const pairsMax = 10;

/** Labels of a task or browser: up to ten pairs, one of them with an empty value. */
export function labels(): fc.Arbitrary<Record<string, string>> {
  const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,15}$/);
  const others = fc.dictionary(name, unusualText(), { minKeys: 1, maxKeys: pairsMax - 1, noNullPrototype: true });
  return others.map((pairs) => ({ ...pairs, Empty: '' }));
}

/** One value of a generator, the same for the same seed and purpose. */
export function draw<T>(arbitrary: fc.Arbitrary<T>, { seed, purpose }: { seed: number; purpose: string }): T {
  let salt = seed | 0;
  for (const letter of purpose) salt = (Math.imul(salt, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  const [value] = fc.sample(arbitrary, { seed: salt, numRuns: 1 });
  if (value === undefined) throw new Error('the generator has no values');
  return value;
}
