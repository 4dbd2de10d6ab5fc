import { type FastifyInstance, fastify } from 'fastify';
import type { ControlledClock } from '../clock/clock.ts';
import type { Engine } from '../engine/create-engine.ts';
import type { FaultSwitch } from './fault-switch.ts';
import type { RequestLog } from './request-log.ts';

/** What an operator's test may move. */
export interface ControlParts {
  readonly clock: ControlledClock;
  readonly engine: Engine;
  readonly faults: FaultSwitch;
  readonly requests: RequestLog;
}

/**
 * The control address: a clock that can be moved, faults that can be switched on, the requests that were seen. It has no key
 * and belongs on loopback; it is off unless asked for.
 *
 * POST /clock {"advanceMs": n} · POST /faults {"sandboxStart": "fail"|null} or {"crashSession": id} · POST /reset · GET /requests
 */
export function createControlServer(parts: ControlParts): FastifyInstance {
  // Its two schemas stand below: to judge them by the schema of schemas took a third of the start of a service.
  const app = fastify({ forceCloseConnections: true, ajv: { customOptions: { validateSchema: false } } });
  app.post<{ Body: { advanceMs: number } }>('/clock', { schema: { body: clockBody } }, async (request) => {
    parts.clock.advance(request.body.advanceMs);
    return { now: new Date(parts.clock.now()).toISOString() };
  });
  app.post<{ Body: FaultBody }>('/faults', { schema: { body: faultBody } }, async (request) => {
    if (request.body.sandboxStart !== undefined) parts.faults.setSandboxStart(request.body.sandboxStart);
    if (request.body.crashSession !== undefined) await parts.engine.crash(request.body.crashSession);
    return { sandboxStart: parts.faults.sandboxStart };
  });
  app.post('/reset', async () => {
    parts.faults.setSandboxStart(null);
    parts.requests.clear();
    return { ok: true };
  });
  app.get('/requests', async () => ({ requests: parts.requests.all() }));
  return app;
}

interface FaultBody {
  readonly sandboxStart?: 'fail' | null;
  readonly crashSession?: string;
}

const clockBody = {
  type: 'object',
  required: ['advanceMs'],
  additionalProperties: false,
  properties: { advanceMs: { type: 'integer', minimum: 0, maximum: 31_536_000_000 } },
} as const;

const faultBody = {
  type: 'object',
  additionalProperties: false,
  properties: { sandboxStart: { enum: ['fail', null] }, crashSession: { type: 'string', format: 'uuid' } },
} as const;
