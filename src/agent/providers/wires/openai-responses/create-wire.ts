import { loadOptional } from '#contract/load-optional.ts';
import type { Wire, WireTarget } from '../wire.ts';
import { readAnswer } from './read-answer.ts';
import { toRequest } from './to-request.ts';

/** The Responses wire. Variables of the environment that its client would read otherwise have no say. */
export async function createWire(target: WireTarget): Promise<Wire> {
  const { OpenAI } = await loadOptional('openai', () => import('openai'));
  const { apiKey, baseUrl: baseURL } = target;
  const settings = { apiKey, baseURL, organization: null, project: null, maxRetries: 0, logLevel: 'off' } as const;
  return {
    async send(request, fetch) {
      await new OpenAI({ ...settings, fetch }).responses.create(toRequest(request, target));
    },
    read: readAnswer,
  };
}
