import { call, finish, scriptedModel, type ScriptedTurn } from '#agent/loop/testing/scripted-model.ts';
import type { ModelClient, ModelProviders, ModelRequest } from '#agent/model/model-call.ts';
import { type Drift, driftedLabel } from './drifts.ts';

/** Facts about the replayed task that the scripted model knows. */
export interface Known {
  readonly drift: Drift | null;
  /** The answer of the first run. */
  readonly answer: unknown;
  /** Returns true if the site is in the state that the task is meant to reach. */
  readonly isReached: () => boolean;
}

/**
 * Model providers whose scripted model answers the requests of a replay. The model chooses an element that the replay
 * cannot find, and judges the result.
 */
export interface Oracle {
  readonly providers: ModelProviders;
  calls(): number;
}

interface Shown {
  readonly ref: string;
  readonly name: string;
  readonly target: string | null;
  readonly within: readonly string[];
}

/**
 * Creates the model providers with the scripted model. It recognises the changed labels of elements, and judges a
 * replay by the state of the site.
 */
export function createOracle(known: () => Known): Oracle {
  let calls = 0;
  const model = scriptedModel(({ request }) => {
    calls += 1;
    return request.tools.some(({ name }) => name === 'choose_element') ? choose(request, known()) : conclude(known());
  });
  const client: ModelClient = { call: (request) => model.call(request), seesImages: false, hasNativeOutput: false };
  return {
    providers: { clientFor: async () => client, routes: new Map([['anthropic', 'direct']]) },
    calls: () => calls,
  };
}

function choose(request: ModelRequest, { drift }: Known): ScriptedTurn {
  const text = readText(request);
  const wanted = parseShown('wanted', /The recorded element:\n\[[^\]]*\]\n(.*)\n/.exec(text)?.[1] ?? '{}');
  const shown = Array.from(text.matchAll(/^((?:f\d+)?e\d+): (\{.*\})$/gm), ([, ref = '', json = '']) =>
    parseShown(ref, json),
  );
  const labels = driftedLabel(drift, wanted.name);
  const alike = labels.map((label) => shown.filter(({ name }) => name === label)).find((some) => some.length > 0) ?? [];
  const same = alike.length === 1 ? alike : alike.filter(({ target }) => target === wanted.target);
  const [only] = same;
  return call('choose_element', { ref: same.length === 1 && only !== undefined ? only.ref : 'none' });
}

function conclude({ answer, isReached }: Known): ScriptedTurn {
  if (!isReached()) return call('finish', { success: false, text: 'The goal is not reached.' });
  return typeof answer === 'string' ? finish(answer) : finish('Done.', JSON.stringify(answer));
}

function parseShown(ref: string, json: string): Shown {
  const value: unknown = JSON.parse(json);
  // The service has written this JSON. If it is wrong, the replay fails.
  return { ...(value as Omit<Shown, 'ref'>), ref };
}

function readText({ messages }: ModelRequest): string {
  const [first] = messages;
  return first?.role === 'user' ? first.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') : '';
}
