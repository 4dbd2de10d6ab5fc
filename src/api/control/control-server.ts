import { type FastifyInstance, fastify } from 'fastify';
import type { Latest } from '#lib/latest.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { ControlledClock } from '#lib/clock/clock.ts';
import type { Engine } from '#sessions/create-engine.ts';
import { clockBody, type FaultBody, faultBody, type PageQuery, pageQuery } from './control-bodies.ts';
import type { FaultSwitch } from './fault-switch.ts';
import { guardControl } from './guard-control.ts';
import type { RefusalSwitch } from './refusal-switch.ts';

/** What an operator's test may move. */
export interface ControlParts {
  readonly clock: Pick<ControlledClock, 'advance' | 'now'>;
  readonly engine: Pick<Engine, 'crash'>;
  readonly faults: Pick<FaultSwitch, 'sandboxStart' | 'setSandboxStart'>;
  readonly refusals: Omit<RefusalSwitch, 'interrupt'>;
  /** The latest requests, oldest first. */
  readonly requests: Pick<Latest<object>, 'page' | 'first' | 'next' | 'clear'>;
  /** Begins anew, with nothing of what was made. @defaultValue what was made stays */
  readonly restart?: () => Promise<void>;
}

/**
 * The control address: a clock that can be moved, faults that can be switched on, the requests that were seen. It has no key
 * and answers to its own machine alone; it is off unless asked for.
 *
 * POST /clock {"advanceMs": n} · POST /faults {"sandboxStart": "fail"|null, "refuse": {"status", "times", "operation"}|null,
 * "crashSession": id} · POST /reset · GET /requests?after=n&limit=n · GET /state
 */
export function createControlServer(parts: ControlParts): FastifyInstance {
  // Its schemas stand below: to judge them by the schema of schemas took a third of the start of a service.
  const app = fastify({ forceCloseConnections: true, ajv: { customOptions: { validateSchema: false } } });
  guardControl(app, defaultRules);
  const faults = (): object => ({ sandboxStart: parts.faults.sandboxStart, refuse: parts.refusals.refusal });
  const now = (): object => ({ now: new Date(parts.clock.now()).toISOString() });
  app.post<{ Body: { advanceMs: number } }>('/clock', { schema: { body: clockBody } }, async ({ body }) => {
    parts.clock.advance(body.advanceMs);
    return now();
  });
  app.post<{ Body: FaultBody }>('/faults', { schema: { body: faultBody } }, async ({ body }) => {
    if (body.sandboxStart !== undefined) parts.faults.setSandboxStart(body.sandboxStart);
    if (body.refuse !== undefined) parts.refusals.setRefusal(body.refuse);
    if (body.crashSession !== undefined) await parts.engine.crash(body.crashSession);
    return faults();
  });
  app.post('/reset', async () => {
    parts.faults.setSandboxStart(null);
    parts.refusals.clear();
    parts.requests.clear();
    await parts.restart?.();
    return { ok: true };
  });
  app.get<{ Querystring: PageQuery }>('/requests', { schema: { querystring: pageQuery } }, async ({ query }) => {
    const { after, limit } = query;
    const { requests: log } = parts;
    const requests = log.page(after, limit);
    const last = Math.max(after, log.first() - 1) + requests.length;
    return { requests, nextAfter: last, hasMore: last + 1 < log.next() };
  });
  app.get('/state', async () => ({ ...now(), ...faults() }));
  return app;
}
