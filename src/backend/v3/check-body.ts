import { isJsonObject } from '#domain/json.ts';
import { type Problem, problem } from '#domain/problems.ts';
import { checkOutputSchema } from '../agent/index.ts';
import { checkCeiling, checkScreen } from '../shared/check-settings.ts';
import type { CreateBody } from './create-session.ts';

const shownLength = 200;

/** What the schema of the body cannot say: pairs of members, an amount above zero, a schema that can be used. */
export function checkBody(body: CreateBody): Problem | null {
  const screen = { width: body.browserScreenWidth, height: body.browserScreenHeight };
  return checkScreen(screen, ['body', 'browserScreenWidth']) ?? checkCeiling(body.maxCostUsd) ?? checkSchema(body);
}

function checkSchema(body: CreateBody): Problem | null {
  const reason = isJsonObject(body.outputSchema) ? checkOutputSchema(body.outputSchema) : null;
  if (reason === null) return null;
  return problem('output_schema_invalid', { reason: reason.slice(0, shownLength) }, ['body', 'outputSchema']);
}
