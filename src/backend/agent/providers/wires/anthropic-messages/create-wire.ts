import type { Wire, WireTarget } from '../wire.ts';
import { readAnswer } from './read-answer.ts';
import { toRequest } from './to-request.ts';

/** The Messages wire. Variables of the environment that its client would read otherwise have no say. */
export async function createWire(target: WireTarget): Promise<Wire> {
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const { apiKey, baseUrl: baseURL } = target;
  const settings = { apiKey, baseURL, authToken: null, maxRetries: 0, logLevel: 'off' } as const;
  return {
    async send(request, fetch) {
      // Its own time is set because it refuses long answers without one; the exchange's is shorter.
      await new Anthropic({ ...settings, fetch, timeout: longerThanAnyMs }).messages.create(toRequest(request, target));
    },
    read: readAnswer,
  };
}

const longerThanAnyMs = 600_000;
