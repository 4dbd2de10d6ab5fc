import * as fc from 'fast-check';
import type { JsonObject } from '../../core/json.ts';
import { unusualText } from './unusual-text.ts';

/** Bounds of a screen size in pixels. */
const bounds = { width: [320, 6144], height: [320, 3456] } as const;

/** Generates V4 run members that change neither the task nor its maximum cost: legal values, null where allowed. */
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

/** Generates V3 session members that change neither the task nor its maximum cost: legal values, null where allowed. */
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

/** Generates V2 task members that change neither the task nor its maximum cost: legal values, null where allowed. */
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

/** Maximum number of metadata pairs of a task or browser. */
const pairsMax = 10;

/** Generates labels of a task or browser: up to ten pairs, one of them with an empty value. */
export function labels(): fc.Arbitrary<Record<string, string>> {
  const name = fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,15}$/);
  const others = fc.dictionary(name, unusualText(), { minKeys: 1, maxKeys: pairsMax - 1, noNullPrototype: true });
  return others.map((pairs) => ({ ...pairs, Empty: '' }));
}

/** Returns one value of a generator. The value depends only on the seed and the purpose. */
export function draw<T>(arbitrary: fc.Arbitrary<T>, { seed, purpose }: { seed: number; purpose: string }): T {
  let salt = seed | 0;
  for (const letter of purpose) salt = (Math.imul(salt, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  const [value] = fc.sample(arbitrary, { seed: salt, numRuns: 1 });
  if (value === undefined) throw new Error('the generator has no values');
  return value;
}

/**
 * Generates text that no lenient parser accepts as a UUID: a UUID with an invalid digit, a wrong length, a number, a
 * word. The text is safe in a path.
 */
export function malformedUuid(): fc.Arbitrary<string> {
  const foreign = fc.constantFrom('g', 'k', 'q', 'x', 'z');
  return fc.oneof(
    fc.constant('not-a-uuid'),
    fc.tuple(fc.uuid(), foreign).map(([uuid, letter]) => letter + uuid.slice(1)),
    fc.tuple(fc.uuid(), fc.integer({ min: 1, max: 12 })).map(([uuid, count]) => uuid.slice(0, -count)),
    fc.tuple(fc.uuid(), fc.constantFrom('0', 'f', '-1')).map(([uuid, tail]) => uuid + tail),
    fc.integer({ min: 1, max: 999_999 }).map(String),
    // Text with the length and the characters of a UUID, but another number of digits.
    fc.constantFrom('0123456789abcdef'.repeat(3).slice(0, 36), '01234567-89ab-cdef-0123-4-56789abcde'),
    fc.constantFrom('not%20a%20uuid', '%C3%A9t%C3%A9', '%F0%9F%98%80'),
  );
}
