import { fastify, type FastifyInstance } from 'fastify';
import { problem, renderProblem } from '#contract/problems.ts';
import { defaultRules, type RuleBook } from '#contract/rule-book.ts';
import type { ControlledClock } from '#lib/clock.ts';
import { createRingBuffer, type RingBuffer } from '#lib/ring-buffer.ts';
import type { Engine } from '#sessions/create-engine.ts';
import { isFromThisMachine } from '../http/connections.ts';
import { type FaultSwitch, type Refusal, refusalStatuses, type RefusalSwitch } from './switches.ts';

/** Dependencies of the control server. */
export interface ControlDeps {
  readonly clock: Pick<ControlledClock, 'advance' | 'now'>;
  readonly engine: Pick<Engine, 'crash'>;
  readonly faults: Pick<FaultSwitch, 'sandboxStart' | 'setSandboxStart'>;
  readonly refusals: Omit<RefusalSwitch, 'interrupt'>;
  /** Log of the latest requests, oldest first. */
  readonly requests: Pick<RingBuffer<object>, 'page' | 'first' | 'next' | 'clear'>;
  /** Resets the service to an empty state. @defaultValue a reset keeps all created resources */
  readonly restart?: () => Promise<void>;
}

/** Maximum size of a request body; valid bodies are smaller. */
const bodyBytesMax = 16_384;

/**
 * Creates the control server of tests: it advances the clock, injects faults and shows the request log. It requires no
 * key, accepts connections from this machine only, and runs only when the operator enables it.
 * POST /clock {"advanceMs": n} · POST /faults {"sandboxStart": "fail"|null, "refuse": {"status", "times",
 * "operation"}|null, "crashSession": id} · POST /reset · GET /requests?after=n&limit=n · GET /state
 */
export function createControlServer(deps: ControlDeps): FastifyInstance {
  // The constant schemas below are not validated: validation by the meta schema took a third of the start time.
  const ajv = { customOptions: { validateSchema: false } };
  const app = fastify({ forceCloseConnections: true, bodyLimit: bodyBytesMax, ajv });
  guardControl(app, defaultRules);
  const faults = (): object => ({ sandboxStart: deps.faults.sandboxStart, refuse: deps.refusals.refusal });
  const now = (): object => ({ now: new Date(deps.clock.now()).toISOString() });
  app.post<{ Body: { advanceMs: number } }>('/clock', { schema: { body: clockBody } }, async ({ body }) => {
    deps.clock.advance(body.advanceMs);
    return now();
  });
  app.post<{ Body: FaultBody }>('/faults', { schema: { body: faultBody } }, async ({ body }) => {
    if (body.sandboxStart !== undefined) deps.faults.setSandboxStart(body.sandboxStart);
    if (body.refuse !== undefined) deps.refusals.setRefusal(body.refuse);
    if (body.crashSession !== undefined) await deps.engine.crash(body.crashSession);
    return faults();
  });
  app.post('/reset', async () => {
    deps.faults.setSandboxStart(null);
    deps.refusals.clear();
    deps.requests.clear();
    await deps.restart?.();
    return { ok: true };
  });
  app.get<{ Querystring: PageQuery }>('/requests', { schema: { querystring: pageQuery } }, async ({ query }) => {
    const { after, limit } = query;
    const { requests: log } = deps;
    const requests = log.page(after, limit);
    const last = Math.max(after, log.first() - 1) + requests.length;
    return { requests, nextAfter: last, hasMore: last + 1 < log.next() };
  });
  app.get('/state', async () => ({ ...now(), ...faults() }));
  return app;
}

/** Accepts requests from programs on this machine only, and rejects requests from web pages. */
function guardControl(app: FastifyInstance, rules: RuleBook): void {
  app.addHook('onRequest', async (request, reply) => {
    if (isFromThisMachine(request.raw)) return;
    const { status, body } = renderProblem(problem('loopback_only', {}), rules);
    await reply.code(status).send(body);
  });
}

/** Faults to inject from now on. An absent member changes nothing. */
interface FaultBody {
  readonly sandboxStart?: 'fail' | null;
  readonly refuse?: Refusal | null;
  /** Id of a session whose sandbox crashes irrecoverably. */
  readonly crashSession?: string;
}

/** JSON Schema of the body that advances the clock, by at most one year in either direction. */
const clockBody = {
  type: 'object',
  required: ['advanceMs'],
  additionalProperties: false,
  properties: { advanceMs: { type: 'integer', minimum: -31_536_000_000, maximum: 31_536_000_000 } },
} as const;

/** JSON Schema of a {@link FaultBody}. */
const faultBody = {
  type: 'object',
  additionalProperties: false,
  properties: {
    sandboxStart: { enum: ['fail', null] },
    refuse: {
      type: ['object', 'null'],
      required: ['status', 'times'],
      additionalProperties: false,
      properties: {
        status: { enum: refusalStatuses },
        times: { type: 'integer', minimum: 1, maximum: 1000 },
        operation: { type: ['string', 'null'], minLength: 1, maxLength: 100 },
      },
    },
    crashSession: { type: 'string', format: 'uuid' },
  },
} as const;

/** Page of the request log. */
interface PageQuery {
  /** Sequence number of the last known request. */
  readonly after: number;
  readonly limit: number;
}

/** JSON Schema of the page query; 1,000 requests are about 100 kB. */
const pageQuery = {
  type: 'object',
  properties: {
    after: { type: 'integer', minimum: 0, default: 0 },
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
  },
} as const;

/** A logged request, without headers and body, so that it contains no secrets. */
export interface SeenRequest {
  readonly at: string;
  readonly method: string;
  /** Path, truncated to 500 characters. */
  readonly path: string;
  readonly status: number;
}

/** The latest requests, oldest first. */
export type RequestLog = RingBuffer<SeenRequest>;

const [keptMax, pathMax] = [10_000, 500];

/** Creates a log of the latest 10,000 requests. */
export function createRequestLog(): RequestLog {
  const latest = createRingBuffer<SeenRequest>(keptMax);
  return { ...latest, add: (request) => latest.add({ ...request, path: request.path.slice(0, pathMax) }) };
}
