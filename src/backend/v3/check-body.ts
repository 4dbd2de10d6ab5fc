import { isJsonObject } from '#domain/json.ts';
import { usdToMicros } from '#domain/money.ts';
import { type Problem, problem } from '#domain/problems.ts';
import { checkOutputSchema } from '../agent/index.ts';
import type { CreateBody } from './create-session.ts';

const shownLength = 200;

/** What the schema of the body cannot say: pairs of members, an amount above zero, a schema that can be used. */
export function checkBody(body: CreateBody): Problem | null {
  return checkScreen(body) ?? checkCeiling(body) ?? checkSchema(body);
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
  return problem('ceiling_out_of_range', { found: String(body.maxCostUsd).slice(0, shownLength) }, [
    'body',
    'maxCostUsd',
  ]);
}

function checkSchema(body: CreateBody): Problem | null {
  const reason = isJsonObject(body.outputSchema) ? checkOutputSchema(body.outputSchema) : null;
  if (reason === null) return null;
  return problem('output_schema_invalid', { reason: reason.slice(0, shownLength) }, ['body', 'outputSchema']);
}
