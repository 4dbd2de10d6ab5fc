import { fastify, type FastifyInstance } from 'fastify';
import { problem } from '#contract/problems.ts';
import { defaultRules, type RuleBook } from '#contract/rule-book.ts';
import type { ControlledClock } from '#lib/clock.ts';
import { createRingBuffer, type RingBuffer } from '#lib/ring-buffer.ts';
import type { Engine } from '#sessions/create-engine.ts';
import { isFromThisMachine } from '../http/connections.ts';
import { refuse } from '../http/refuse.ts';
import { type FaultSwitch, type Refusal, refusalStatuses, type RefusalSwitch } from './switches.ts';

/** What an operator's test may move. */
export interface ControlDeps {
  readonly clock: Pick<ControlledClock, 'advance' | 'now'>;
  readonly engine: Pick<Engine, 'crash'>;
  readonly faults: Pick<FaultSwitch, 'sandboxStart' | 'setSandboxStart'>;
  readonly refusals: Omit<RefusalSwitch, 'interrupt'>;
  /** The latest requests, oldest first. */
  readonly requests: Pick<RingBuffer<object>, 'page' | 'first' | 'next' | 'clear'>;
  /** Begins anew, with nothing of what was made. @defaultValue what was made stays */
  readonly restart?: () => Promise<void>;
}

/** Longer than any body that the control address takes. */
const bodyBytesMax = 16_384;

/**
 * The control address: a clock that can be moved, faults that can be switched on, the requests that were seen. It has no key
 * and answers to its own machine alone; it is off unless asked for.
 *
 * POST /clock {"advanceMs": n} · POST /faults {"sandboxStart": "fail"|null, "refuse": {"status", "times", "operation"}|null,
 * "crashSession": id} · POST /reset · GET /requests?after=n&limit=n · GET /state
 */
export function createControlServer(deps: ControlDeps): FastifyInstance {
  // Its schemas stand below: to judge them by the schema of schemas took a third of the start of a service.
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

/** Accepts requests from programs on this machine only, and none from web pages. */
function guardControl(app: FastifyInstance, rules: RuleBook): void {
  app.addHook('onRequest', async (request, reply) => {
    if (isFromThisMachine(request.raw)) return;
    const { status, body } = refuse(problem('loopback_only', {}), rules);
    await reply.code(status).send(body);
  });
}

/** What is to fail from now on; what is absent stays as it is. */
interface FaultBody {
  readonly sandboxStart?: 'fail' | null;
  readonly refuse?: Refusal | null;
  /** Id of a session whose sandbox ends beyond repair. */
  readonly crashSession?: string;
}

/** JSON Schema of what moves the clock: by at most a year, back as well. */
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

/** Which of the requests that were seen. */
interface PageQuery {
  /** Number of the last one that is known. */
  readonly after: number;
  readonly limit: number;
}

/** 1,000 requests are some 100 kB. */
const pageQuery = {
  type: 'object',
  properties: {
    after: { type: 'integer', minimum: 0, default: 0 },
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 1000 },
  },
} as const;

/** One request that the service answered; no header and no body, so that no secret is kept. */
export interface SeenRequest {
  readonly at: string;
  readonly method: string;
  /** Its beginning, where it is longer than 500 characters. */
  readonly path: string;
  readonly status: number;
}

/** The latest requests, oldest first. */
export type RequestLog = RingBuffer<SeenRequest>;

const [keptMax, pathMax] = [10_000, 500];

/** Keeps the latest 10,000 requests. */
export function createRequestLog(): RequestLog {
  const latest = createRingBuffer<SeenRequest>(keptMax);
  return { ...latest, add: (request) => latest.add({ ...request, path: request.path.slice(0, pathMax) }) };
}
