import type { Secret } from '#agent/redaction/secrets.ts';
import { allowedAddress } from '#browsers/index.ts';
import { TabError } from '#browsers/tab/tab.ts';
import { isProblem, type Problem, problem } from '#contract/problems.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { components } from '#generated/v2.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { RunSettings } from '#sessions/run-settings.ts';
import { type ReadBody, type RequestContext, createBodyReader } from '../common/request-context.ts';
import { schemaProblem } from '../common/check-settings.ts';
import { checkSecrets, readSecrets } from '../common/secrets.ts';

type CreateTask = components['schemas']['CreateTask'];

const shownLength = 200;

/** Returns the settings of a V2 task (companion 5.2), or the refusal of an unusable schema or start URL. */
export async function runSettings(body: CreateTask, context: RequestContext): Promise<RunSettings | Problem> {
  const outputSchema = await parseSchema(body.structuredOutput, context);
  if (isProblem(outputSchema)) return outputSchema;
  const refusedStart = checkStartUrl(body.startUrl);
  if (refusedStart !== null) return refusedStart;
  return {
    maxSteps: body.maxSteps ?? getLimit(context.rules, 'taskStepsDefault'),
    ...(outputSchema === null ? {} : { outputSchema }),
    ...namedSettings(body),
    ...modelSettings(body),
    ...(body.judge === true ? { judge: judgeSettings(body) } : {}),
  };
}

/**
 * Returns the settings that only a model uses in the task. Omits `highlightElements`, `flashMode` and `thinking` when
 * they are off.
 */
function modelSettings({ vision = true, highlightElements, flashMode, thinking }: CreateTask): RunSettings {
  return {
    vision,
    suggests: flashMode !== true,
    ...(highlightElements === true ? { highlightElements } : {}),
    ...(flashMode === true ? { flashMode } : {}),
    ...(thinking === true ? { thinking } : {}),
  };
}

function judgeSettings({ judgeGroundTruth, judgeLlm }: CreateTask): NonNullable<RunSettings['judge']> {
  return { context: judgeGroundTruth ?? null, ...(isGiven(judgeLlm) ? { model: judgeLlm } : {}) };
}

/**
 * Returns the settings that a request gives for start URL, metadata, allowed domains and system prompt. Omits settings
 * that are absent or null, and an empty `systemPromptExtension`.
 */
function namedSettings({ startUrl, metadata, allowedDomains, systemPromptExtension }: CreateTask): RunSettings {
  return {
    ...(isGiven(startUrl) ? { startUrl } : {}),
    ...(isGiven(metadata) ? { metadata } : {}),
    ...(isGiven(allowedDomains) ? { allowedDomains } : {}),
    ...(isGiven(systemPromptExtension) && systemPromptExtension !== '' ? { systemPromptExtension } : {}),
  };
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

/** Parses a text that contains a JSON Schema. Returns null without a text, and a problem for an unusable schema. */
async function parseSchema(
  text: string | null | undefined,
  context: RequestContext,
): Promise<JsonObject | null | Problem> {
  if (!isGiven(text)) return null;
  const parsed = readJson(text);
  if (parsed instanceof SyntaxError) return refusedSchema(parsed.message);
  if (!isJsonObject(parsed)) return refusedSchema('it is not an object');
  return (await schemaProblem(parsed, context, refusedSchema)) ?? parsed;
}

function readJson(text: string): JsonValue | SyntaxError {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

function refusedSchema(reason: string): Problem {
  return problem('structured_output_invalid', { reason: reason.slice(0, shownLength) }, ['body', 'structuredOutput']);
}

/** Returns the refusal of a start URL that a tab cannot open; null for a valid or absent URL. */
export function checkStartUrl(startUrl: string | null | undefined): Problem | null {
  if (!isGiven(startUrl)) return null;
  try {
    allowedAddress(startUrl);
    return null;
  } catch (error) {
    if (!(error instanceof TabError)) throw error;
    return problem('start_url_invalid', { reason: error.message.slice(0, shownLength) }, ['body', 'startUrl']);
  }
}

/** Reads the body of a V2 request. */
export const readBody: ReadBody<components['schemas']> = createBodyReader();

/** Matches a domain with a dot, in the form of an entry of `allowedDomains`. */
const domainPattern = /^(https?:\/\/)?(\*\.)?(?=[^:]*\.)[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i;

/**
 * Returns the secrets of a task (companion 5.2, `secrets`). If the key of a secret is a domain, the value of the secret
 * may be typed on this domain only. Otherwise, its value may be typed on all pages.
 */
export function taskSecrets({ secrets }: CreateTask): Secret[] {
  return readSecrets(secrets, (key) => (domainPattern.test(key) ? [key] : null));
}

/** Returns the refusal of secrets of which one is too long, or all together are too long; else null. */
export function checkTaskSecrets(body: CreateTask, rules: RuleBook): Problem | null {
  return checkSecrets(taskSecrets(body), ({ name }) => ['secrets', name], rules);
}
