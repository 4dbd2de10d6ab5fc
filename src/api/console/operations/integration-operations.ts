import { type Integration, IntegrationError } from '#agent/integrations/integration.ts';
import type { ConsoleIntegrationTest } from '#contract/console-messages.ts';
import { isProblem, problem, type Problem } from '#contract/problems.ts';
import { getLimit } from '#contract/rule-book.ts';
import { isJsonObject, type JsonValue } from '#lib/json.ts';
import type { SecretsPlace } from '#store/queries/integrations.ts';
import type { ConsoleContext, ConsoleOperation, LoggedIn } from '../console-operation.ts';

/**
 * Lists the integrations that the project may use, with the names of their secrets and whether each secret is stored.
 */
export const listIntegrations: ConsoleOperation = {
  guard: 'login',
  async answer({ login: { projectId } }, { integrations, integrationSecrets }) {
    const shown = (integrations?.list(projectId) ?? []).map(async ({ name, description, transport, secretNames }) => {
      const stored = await integrationSecrets.names({ projectId, integration: name });
      const secrets = secretNames.map((secret) => ({ name: secret, isStored: stored.includes(secret) }));
      return { name, description, transport: transport.kind, secrets };
    });
    return { status: 200, body: await Promise.all(shown) };
  },
};

/** Tests an integration by requesting its tools. Returns the tools or the error, and the duration in milliseconds. */
export const testIntegration: ConsoleOperation = {
  guard: 'login',
  async answer(asked, context) {
    const found = findIntegration(asked, context);
    return isProblem(found) ? found : { status: 200, body: await runTest(found, context) };
  },
};

async function runTest({ place }: Found, { integrations, rules }: ConsoleContext): Promise<ConsoleIntegrationTest> {
  const startedMs = performance.now();
  const took = (): number => Math.round(performance.now() - startedMs);
  const { projectId, integration: name } = place;
  const signal = AbortSignal.timeout(getLimit(rules, 'integrationTest'));
  try {
    const tools = (await integrations?.tools({ projectId, name, signal })) ?? [];
    const shown = tools.map((tool) => ({ name: tool.name, description: tool.description }));
    return { tools: shown, error: null, tookMs: took() };
  } catch (error) {
    if (!(error instanceof IntegrationError) && !signal.aborted) throw error;
    const reason = error instanceof IntegrationError ? error.message : 'The server did not answer in time.';
    return { tools: [], error: reason, tookMs: took() };
  }
}

/**
 * Stores a secret for an integration in place of its earlier value, and ends the project's connection to that
 * integration. No response contains the value.
 */
export const setIntegrationSecret: ConsoleOperation = {
  guard: 'login',
  async answer(asked, context) {
    const found = findIntegration(asked, context);
    if (isProblem(found)) return found;
    const { place, integration } = found;
    const name = asked.path['secret'] ?? '';
    const known = formatNames(integration);
    if (!integration.secretNames.includes(name))
      return problem('integration_secret_unknown', { known, found: name }, ['path', 'secret']);
    const value = readSecret(asked.body);
    if (value === null) return problem('integration_secret_malformed', {}, ['body', 'value']);
    await context.integrationSecrets.set(place, { name, value, nowMs: context.clock.now() });
    await context.integrations?.forget(place.projectId, place.integration);
    return { status: 204, body: undefined };
  },
};

/** Removes a secret of an integration, and ends the project's connection to that integration. */
export const removeIntegrationSecret: ConsoleOperation = {
  guard: 'login',
  async answer(asked, context) {
    const found = findIntegration(asked, context);
    if (isProblem(found)) return found;
    const { place } = found;
    if (!(await context.integrationSecrets.remove(place, asked.path['secret'] ?? '')))
      return problem('integration_secret_not_found', {});
    await context.integrations?.forget(place.projectId, place.integration);
    return { status: 204, body: undefined };
  },
};

interface Found {
  readonly integration: Integration;
  readonly place: SecretsPlace;
}

function findIntegration({ login: { projectId }, path }: LoggedIn, { integrations }: ConsoleContext): Found | Problem {
  const integration = integrations?.list(projectId).find(({ name }) => name === path['integration']);
  if (integration === undefined) return problem('integration_not_found', {});
  return { integration, place: { projectId, integration: integration.name } };
}

function formatNames({ secretNames }: Integration): string {
  return secretNames.length === 0 ? 'no secret' : secretNames.join(', ');
}

/** Returns the secret of a body if it has 4 to 4,096 characters that are valid in an HTTP header; otherwise null. */
function readSecret(body: JsonValue | undefined): string | null {
  const value = isJsonObject(body) ? body['value'] : null;
  return typeof value === 'string' && /^[\x21-\x7e]{4,4096}$/.test(value) ? value : null;
}
