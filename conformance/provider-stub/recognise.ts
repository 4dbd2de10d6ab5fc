import { providerRequests } from '#generated/rules.ts';
import { type JsonObject, textOf } from '../harness/json.ts';
import type { WireFamily } from './provider-call.ts';

/** What a request is. */
export interface Recognised {
  family: WireFamily;
  /** Model as it is named in the body, or else in the path. */
  model: string;
  /** True when the answer is wanted as a stream. */
  streams: boolean;
}

/** The family of a request by its path, wherever in it an operator lets it begin; undefined for any other path. */
export function recognise(path: string, body: JsonObject): Recognised | undefined {
  for (const { family, path: pattern } of providerRequests.families) {
    // oxlint-disable-next-line svc/no-dynamic-pattern -- the paths of spec/rules/provider-requests.yaml
    const match = new RegExp(pattern).exec(path);
    if (match === null) continue;
    const [, named = '', action = ''] = match;
    const streams = body['stream'] === true || action.startsWith('stream');
    return { family, model: named === '' ? textOf(body['model']) : decodeURIComponent(named), streams };
  }
  return undefined;
}
