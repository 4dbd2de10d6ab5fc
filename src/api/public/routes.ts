import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '#contract/problems.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import type { UrlSigner } from '#lib/signed-url.ts';
import type { ReadReadiness } from '#platform/readiness.ts';
import type { Blobs } from '#store/blobs/blobs.ts';
import { readRunEvents, findVisibleRun, readRunSteps } from '#store/queries/runs.ts';
import type { EventRow, RunRow, StepRow } from '#store/tables/runs.ts';
import type { Database } from '#store/database.ts';
import { sendProblem } from '../http/refuse.ts';

/** Dependencies of the public routes. */
export interface PublicDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly signer: UrlSigner;
  readonly clock: Clock;
  readonly rules: RuleBook;
}

/** Adds the routes of presigned URLs for screenshots and task logs. */
export function addPublicRoutes(app: FastifyInstance, deps: PublicDeps): void {
  app.get<{ Params: { key: string } }>('/screenshots/:key', (request, reply) => sendScreenshot(deps, request, reply));
  app.get<{ Params: { id: string } }>('/task-logs/:id', (request, reply) => sendTaskLog(deps, request, reply));
}

async function sendScreenshot(
  deps: PublicDeps,
  request: FastifyRequest<{ Params: { key: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { key } = request.params;
  if (!isSigned(deps, `/screenshots/${key}`, request))
    return sendProblem(reply, problem('address_expired', {}), deps.rules);
  const bytes = await deps.blobs.get(key);
  if (bytes === null) return sendProblem(reply, problem('route_not_found', {}), deps.rules);
  return reply.header('cache-control', 'private, no-store').type('image/jpeg').send(bytes);
}

/** Returns whether the URL of a request has a valid signature for the path and has not expired. */
export function isSigned(
  { signer, clock }: Pick<PublicDeps, 'signer' | 'clock'>,
  path: string,
  { url }: Pick<FastifyRequest, 'url'>,
): boolean {
  return signer.opens(path, new URLSearchParams(url.split('?')[1] ?? ''), clock.now());
}

async function sendTaskLog(
  deps: PublicDeps,
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { id } = request.params;
  if (!isSigned(deps, `/task-logs/${id}`, request))
    return sendProblem(reply, problem('address_expired', {}), deps.rules);
  const log = await taskLog(deps, id);
  if (log === null) return sendProblem(reply, problem('route_not_found', {}), deps.rules);
  return reply.header('cache-control', 'private, no-store').type('text/plain; charset=utf-8').send(log);
}

/** Dependencies of a task log. */
interface TaskLogDeps {
  readonly db: Database;
  readonly rules: RuleBook;
}

/** Returns the log of a run as plain text with one line per event; null for an unknown run. */
async function taskLog({ db, rules }: TaskLogDeps, runId: string): Promise<string | null> {
  const run = await findVisibleRun(db, runId);
  if (run === undefined) return null;
  const types = rules.runEvents.events.map(({ event }) => event);
  const events = await readRunEvents(db, runId, { after: 0, limit: Number.MAX_SAFE_INTEGER, types });
  const steps = (await readRunSteps(db, runId)).values();
  const lines = events.map((event) => formatEvent(event, steps));
  return [head(run), ...lines, ''].join('\n');
}

/**
 * Returns the first line of a log. Texts from clients are written as JSON on one line, so that no such text can imitate
 * a line of the log.
 */
function head(run: RunRow): string {
  return `${shownTime(run.createdAt)} task ${run.id} ${JSON.stringify(run.task)}`;
}

/**
 * Returns the log line of an event. For a `step` event, takes the next step of `steps`: steps and their events have the
 * same order.
 */
function formatEvent(event: EventRow, steps: Iterator<StepRow>): string {
  const start = `${shownTime(event.createdAt)} ${event.type}`;
  if (event.type !== 'step') return event.data === '{}' ? start : `${start} ${event.data}`;
  const step = steps.next();
  if (step.done === true) throw new Error(`event ${event.id} tells a step that does not exist`);
  const { summary, action, url } = step.value;
  return `${start} ${JSON.stringify(summary)} ${action} at ${JSON.stringify(url)}`;
}

function shownTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Adds GET /readyz: 200 when the service can run sessions and browsers, otherwise 503, also during shutdown. */
export function addReadyRoute(app: FastifyInstance, readiness: ReadReadiness): void {
  app.get('/readyz', async (_request, reply) => {
    const found = await readiness();
    return reply
      .header('cache-control', 'no-store')
      .code(found.status === 'ready' ? 200 : 503)
      .send(found);
  });
}
