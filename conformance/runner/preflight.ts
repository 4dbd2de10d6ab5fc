import { smokeRequest, freeRequest, listRequest } from '../common/free-requests.ts';
import { type Exchange, describeAnswer } from '../core/exchange.ts';
import { connectionAdvice } from '../transport/fault-text.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { Profile } from '../core/spend.ts';
import { SuiteError } from '../core/suite-error.ts';
import { offeredGenerations } from '../core/target.ts';
import { NotRun } from '../core/outcome.ts';
import type { RequestSpec } from '../core/request.ts';

/**
 * Checks that the service responds and accepts the key. Throws SuiteError `usage` if the target file describes nothing
 * to request, and `unauthenticated` for a refused key. Throws `unreachable` if no response comes from the service, or
 * if the service answers 429 to all first requests and to their repetition.
 */
export async function preflight(context: ScenarioContext, profile: Profile): Promise<void> {
  const specs = offeredGenerations(context.target).flatMap((generation) => {
    const spec = profile === 'smoke' ? smokeRequest(context, generation) : freeRequest(context, generation);
    return spec === undefined ? [] : [spec];
  });
  const early = await Promise.all(specs.map((spec) => context.send({ ...spec, overload: true })));
  const [spec] = specs;
  const [begun] = early;
  if (spec === undefined || begun === undefined) throw nothingToAsk(context.readOnly);
  const isBusy = early.every((answer) => answer.status === 429);
  const first = isBusy ? await waitForTurn(context, spec, begun) : begun;
  const answers = isBusy ? [first] : early;
  if (answers.every((answer) => answer.status === 0 && answer.exceeds === undefined)) throw unreachable(first);
  if (answers.every((answer) => [401, 403].includes(answer.status))) throw unauthenticated(context, first);
  if (!answers.some(speaks) && !(await anyListSpeaks(context))) throw elsewhere(first);
}

/**
 * Sends a request again after a 429, and returns the response; `send` waits as the target demands. Throws SuiteError
 * `unreachable` if the target still answers 429.
 */
async function waitForTurn(context: ScenarioContext, spec: RequestSpec, first: Exchange): Promise<Exchange> {
  try {
    return await context.send(spec);
  } catch (error) {
    throw error instanceof NotRun ? busy(first) : error;
  }
}

/**
 * Returns true for a response that can come from the service: its body is JSON. A response that exceeds a limit counts
 * too, because its body was not read to the end; a check judges it later.
 */
function speaks({ json, exceeds }: Exchange): boolean {
  return json !== undefined || exceeds !== undefined;
}

/**
 * Returns true if the target answers the list of any generation with JSON. Used if no other response was JSON, because
 * a refusal may have any body.
 */
async function anyListSpeaks(context: ScenarioContext): Promise<boolean> {
  const lists = offeredGenerations(context.target).map((generation) => listRequest(context.target, generation));
  const answers = await Promise.all(lists.flatMap((list) => (list === undefined ? [] : [context.send(list)])));
  return answers.some(speaks);
}

function elsewhere(exchange: Exchange): SuiteError {
  const { 'content-type': type = 'no content type', location } = exchange.headers;
  const elsewhereTo = location === undefined ? '' : `, to ${location}`;
  return new SuiteError('unreachable', {
    found: `that ${exchange.request.url} ${describeAnswer(exchange)} (${type}${elsewhereTo}), and no answer to any generation is JSON`,
    expected: 'the service, which answers in JSON',
    next:
      connectionAdvice(new URL(exchange.request.url), exchange.body) ??
      'check the address: it stands before /api/v2, /api/v3 and /api/v4; other paths stand in the target file',
  });
}

function nothingToAsk(readOnly: boolean): SuiteError {
  return new SuiteError('usage', {
    found: readOnly ? 'a target file without anything to read' : 'a target file in which v2, v3 and v4 are all null',
    expected: readOnly ? 'V3, or a generation with a list that GET reads' : 'at least one generation',
    next: 'describe what the target offers',
  });
}

function unreachable(exchange: Exchange): SuiteError {
  return new SuiteError('unreachable', {
    found: `that ${exchange.request.url} ${describeAnswer(exchange)}`,
    expected: 'an answer over HTTP',
    next:
      connectionAdvice(new URL(exchange.request.url), exchange.fault ?? '') ??
      'check the address, the network and that the service is running',
  });
}

function busy(exchange: Exchange): SuiteError {
  return new SuiteError('unreachable', {
    found: `that ${exchange.request.url} ${describeAnswer(exchange)} to the first request`,
    expected: 'a target that accepts the first request',
    next: 'try again later, with a lower --rate or --concurrency',
  });
}

function unauthenticated(context: ScenarioContext, exchange: Exchange): SuiteError {
  return new SuiteError('unauthenticated', {
    found: `that ${exchange.request.url} ${describeAnswer(exchange)} to the given key`,
    expected: `a key that the target accepts in the header ${context.target.keyHeader}`,
    next: 'pass --api-key or set SERVICE_API_KEY; a renamed header stands in the target file (keyHeader)',
  });
}
