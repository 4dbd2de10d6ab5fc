import { loadOptional } from '#contract/load-optional.ts';
import type { Wire, WireTarget } from '../wire.ts';
import { readAnswer } from './read-answer.ts';
import { toRequest } from './to-request.ts';

/** The Messages wire. Variables of the environment that its client would read otherwise have no say. */
export async function createWire(target: WireTarget): Promise<Wire> {
  const { Anthropic } = await loadOptional('anthropic', () => import('@anthropic-ai/sdk'));
  const { apiKey, baseUrl: baseURL } = target;
  const settings = { apiKey, baseURL, authToken: null, maxRetries: 0, logLevel: 'off' } as const;
  return {
    async send(request, fetch) {
      const client = new Anthropic({ ...settings, fetch, timeout: longerThanAnyMs });
      // `messages.create` does the same, and writes to the terminal of the service that a model is old.
      await client.post('/v1/messages', { body: toRequest(request, target) });
    },
    read: readAnswer,
  };
}

/** The exchange's own time is shorter. */
const longerThanAnyMs = 600_000;
