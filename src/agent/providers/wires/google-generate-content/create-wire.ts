import { loadOptional } from '#contract/load-optional.ts';
import type { Wire, WireTarget } from '../wire.ts';
import { readAnswer } from './read-answer.ts';
import { toRequest } from './to-request.ts';

/** The version that has the models which are previews. */
const apiVersion = 'v1beta';

/** The generateContent wire. Variables of the environment that its client would read otherwise have no say. */
export async function createWire(target: WireTarget): Promise<Wire> {
  const { GoogleGenAI } = await loadOptional('google', () => import('@google/genai'));
  const { apiKey, baseUrl } = target;
  return {
    async send(request, fetch) {
      const client = new GoogleGenAI({ apiKey, vertexai: false, apiVersion, httpOptions: { baseUrl, fetch } });
      await client.models.generateContent(toRequest(request, target));
    },
    read: readAnswer,
  };
}
