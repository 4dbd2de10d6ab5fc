import type { FastifyBaseLogger } from 'fastify';
import { isProblem, problem } from '#contract/problems.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { Soon } from '#lib/maybe-promise.ts';
import { match } from '#contract/match.ts';
import { refuse } from '#api/http/refuse.ts';
import type { WireReply, WireRequest } from '#contract/http-messages.ts';
import { faulty } from '../faulty.ts';
import { landingPage } from '../landing-page.ts';
import { late } from '../late.ts';
import { type MockServer, createMockServer } from '../mock-server.ts';
import { createRandom } from '../random.ts';
import { readJson } from '../read-json.ts';
import { createPlayer } from './create-player.ts';
import { queryText } from './query-text.ts';
import type { RecordedCall } from './recorded-call.ts';
import { recordedRoutes } from './recorded-routes.ts';

/** How a recording is played. */
export interface ReplayOptions {
  readonly calls: readonly RecordedCall[];
  /** The one key that is accepted. */
  readonly apiKey: string;
  readonly seed: number;
  /** Every answer is held back for a time between the two, both included, in milliseconds. */
  readonly latencyMs: readonly [min: number, max: number];
  /** Share of the successes that become an internal error, 0 to 1. */
  readonly faultRate: number;
  readonly log: FastifyBaseLogger;
}

const rules = defaultRules;
const keyHeader = rules.service.authentication.name.toLowerCase();
const refusedKey = 401;
/** So many operations of a recording are named. */
const namedMax = 40;

/** Answers from a recording: with its successes and refusals to whoever has the key, and with what it has for nobody to all others. */
export function createReplay({ calls, apiKey, seed, latencyMs, faultRate, log }: ReplayOptions): MockServer {
  const [refused, accepted] = [true, false].map((isRefused) =>
    createPlayer(calls.filter(({ answer }) => (answer.status === refusedKey) === isRefused)),
  );
  const random = createRandom(seed);
  const closing = new AbortController();
  const held = late({ latencyMs, random, signal: closing.signal });
  const failing = faulty({ faultRate, random, rules });
  const play = async (request: WireRequest): Promise<WireReply> => {
    const hasKey = request.headers[keyHeader] === apiKey;
    const asked = await askedOf(request);
    const answer = (hasKey ? accepted : refused)?.answer(asked) ?? null;
    if (answer !== null) return answer;
    if (!hasKey) return refuse(problem('not_authenticated', {}), rules);
    const known = knownOf(calls);
    return refuse(problem('recording_without_call', { call: `${asked.method} ${asked.template}`, known }), rules);
  };
  const answer = (request: WireRequest): Soon<WireReply> => held(request, (inner) => failing(inner, play));
  return createMockServer({ answer, rules, log, apiKey, landing: landingPage('replay') }, () => closing.abort());
}

async function askedOf(request: WireRequest): Promise<Omit<RecordedCall, 'answer'>> {
  const { method, path, query } = request;
  const found = match(recordedRoutes, request);
  const template = isProblem(found) ? path : found.route.path;
  return { method, path, template, query: queryText(query), body: readJson(await request.readBody()) };
}

/** What was recorded, each operation once with how often. */
function knownOf(calls: readonly RecordedCall[]): string {
  const counts = Map.groupBy(calls, ({ method, template }) => `${method} ${template}`);
  const named = Array.from(counts, ([name, all]) => `${name} (${all.length})`);
  const more = named.length > namedMax ? ` and ${named.length - namedMax} more` : '';
  return `${named.slice(0, namedMax).join(', ')}${more}`;
}
