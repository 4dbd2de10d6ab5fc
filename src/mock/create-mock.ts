import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import { type RuleBook, defaultRules } from '#contract/rule-book.ts';
import { noResponses } from '#api/http/validators.ts';
import type { HttpReply, HttpRequest } from '#contract/http-messages.ts';
import { createDocumentAnswers } from './document-answers.ts';
import { createRandom, injectFaults } from './inject-faults.ts';
import { landingPage } from './landing-page.ts';
import { createMockServer, delayResponses, type MockServer } from './mock-server.ts';
import { addOwnAddresses } from './own-addresses.ts';
import type { FindResponses } from './request-log/log-routes.ts';

/** Options of a stateless mock. */
export interface MockOptions {
  /** The only API key that the mock accepts, in the header X-Service-API-Key. */
  readonly apiKey: string;
  /** Seed of the random numbers for generated responses, delays and faults. @defaultValue 1 */
  readonly seed?: number;
  /** Whether responses are generated from schemas; false copies the examples of the documents. @defaultValue false */
  readonly dynamic?: boolean;
  /** Range of the random delay of each response, in milliseconds; both bounds are included. @defaultValue no delay */
  readonly latencyMs?: readonly [min: number, max: number];
  /** Share of successful responses that are replaced by an internal error, 0 to 1. @defaultValue 0 */
  readonly faultRate?: number;
  /**
   * Rule tables from which refusals are built. Tests pass a changed copy for a mock with wrong refusals.
   * @defaultValue the tables of spec/rules
   */
  readonly rules?: RuleBook;
  /** Logger of one line per request, and of errors. */
  readonly log: FastifyBaseLogger;
}

/**
 * Creates the stateless mock, which answers requests from the OpenAPI documents. It serves V2, V3 and V4 below /api/v2,
 * /api/v3 and /api/v4 on one port. It stores only the output schemas of the latest records.
 */
export async function createMock(options: MockOptions): Promise<MockServer> {
  const rules = options.rules ?? defaultRules;
  const random = createRandom(options.seed ?? 1);
  const closing = new AbortController();
  const { latencyMs = [0, 0], apiKey, dynamic = false } = options;
  const { routes, answer } = await createDocumentAnswers({ rules, apiKey, dynamic, random });
  const held = delayResponses({ latencyMs, random, signal: closing.signal });
  const failing = injectFaults({ faultRate: options.faultRate ?? 0, random, rules });
  const decide = (request: HttpRequest): MaybePromise<HttpReply> => failing(request, answer);
  const findResponses: FindResponses = ({ version, id }) =>
    routes.find((route) => route.version === version && route.id === id)?.validators.responses ?? noResponses;
  const parts = {
    answer: (request: HttpRequest) => held(request, decide),
    rules,
    apiKey,
    findResponses,
    log: options.log,
    extend: (app: FastifyInstance) => addOwnAddresses(app, rules),
    landing: landingPage('stateless'),
  };
  return createMockServer(parts, () => closing.abort());
}
