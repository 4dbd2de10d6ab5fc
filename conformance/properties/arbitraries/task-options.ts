import * as fc from 'fast-check';
import type { JsonObject } from '../../core/json.ts';
import { labels } from './labels.ts';

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
