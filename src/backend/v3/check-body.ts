import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { usdToMicros } from '#domain/money.ts';
import { type Problem, problem } from '#domain/problems.ts';
import type { CreateBody } from './create-session.ts';

/** What the schema of the body cannot say: pairs of members, an amount above zero, a schema that can be used. */
export function checkBody(body: CreateBody): Problem | null {
  return checkScreen(body) ?? checkCeiling(body) ?? checkOutputSchema(body);
}

function checkScreen(body: CreateBody): Problem | null {
  const width = body.browserScreenWidth ?? null;
  const height = body.browserScreenHeight ?? null;
  return (width === null) === (height === null)
    ? null
    : problem('screen_size_pair', {}, ['body', 'browserScreenWidth']);
}

function checkCeiling(body: CreateBody): Problem | null {
  if (body.maxCostUsd === undefined || body.maxCostUsd === null) return null;
  const micros = usdToMicros(body.maxCostUsd);
  if (micros !== null && micros > 0) return null;
  const reason = `Expected an amount in US dollars of at least 0.000001 and at most ${Number.MAX_SAFE_INTEGER / 1_000_000}, found ${String(body.maxCostUsd).slice(0, 40)}`;
  return problem('validation_failed', { reason }, ['body', 'maxCostUsd']);
}

function checkOutputSchema(body: CreateBody): Problem | null {
  if (body.outputSchema === undefined || body.outputSchema === null) return null;
  const ajv = new Ajv2020({ strict: false, validateFormats: true });
  addFormats.default(ajv);
  try {
    ajv.compile(body.outputSchema);
    return null;
  } catch (error) {
    // Whatever the compiler cannot use is the caller's schema: there is nothing else in this call.
    const reason = error instanceof Error ? error.message.slice(0, 200) : String(error);
    return problem('output_schema_invalid', { reason }, ['body', 'outputSchema']);
  }
}
