import { type Check, type CheckContext, check } from '../../core/check.ts';
import { describeAnswer } from '../../core/exchange.ts';
import { memberAt, parseJson } from '../../core/json.ts';
import type { RequestSpec } from '../../core/request.ts';
import type { ResourceKind } from '../../core/ledger.ts';
import { type Generation, generations } from '../../core/target.ts';
import { show } from '../../core/text.ts';
import { freeRequests } from '../../common/free-requests.ts';
import { saysNothing } from '../../common/refusals.ts';
import { runRefusals } from '../v4-runs/scenarios-creation.ts';
import { sessionRefusals } from '../v3-sessions/scenarios-refusals.ts';
import { taskRefusals } from '../v2-tasks/scenarios.ts';

/**
 * Checks that the target serves its generations, refuses unsupported reasoning values in each, and publishes the
 * documented description of the API.
 */
export const generationChecks: readonly Check[] = [
  check('SVC-08', {}, (t) => allServed(t)),
  check('VER-01', {}, (t) => allServed(t)),
  check('GEN-01', {}, (t) => served(t)),
  check('VER-05', {}, (t) => served(t)),
  check('VER-06', {}, (t) => served(t)),
  check('V3-GET-03', { reads: true }, async (t) => {
    const exchange = await t.send(freeRequests.v3);
    const message = `a fetch without a body ${describeAnswer(exchange)}; expected the answer that the id deserves`;
    t.expect(exchange.status !== 0 && ![400, 411, 415].includes(exchange.status), { exchange, message });
  }),
  check('VER-07', { needs: [sessionRefusals, taskRefusals, runRefusals] }, async (t) => {
    const probes = {
      v2: t.target.v2 === null ? [] : (await t.recording(taskRefusals)).cells.probes,
      v3: t.target.v3 === null ? [] : (await t.recording(sessionRefusals)).cells.probes,
      v4: t.target.v4 === null ? [] : (await t.recording(runRefusals)).cells.probes,
    };
    for (const generation of t.generations) {
      if (probes[generation].length > 0 && probes[generation].every(({ exchange }) => saysNothing(exchange))) continue;
      const reads = probes[generation].some(({ exchange }) => exchange.status === 422);
      const message = `no value of the reasoning control of ${generation} was refused with 422; expected the control to be read`;
      t.expect(reads, { cell: generation, exchange: probes[generation][0]?.exchange, message });
    }
  }),
  check('VER-02', { reads: true }, (t) =>
    description(t, { path: 'info.version', holds: (value) => value === '3.0.0', expected: '"3.0.0"' }),
  ),
  check('VER-03', { reads: true }, (t) =>
    description(t, {
      path: 'servers',
      holds: (value) => Array.isArray(value) && value.some((server) => namesPrefix(memberAt(server, 'url'))),
      expected: 'a server whose url ends with /api/v3',
    }),
  ),
];

/**
 * For each generation, an invalid request to create a resource. A service that implements the operation refuses this
 * request.
 */
const creations: Record<Generation, [ResourceKind, RequestSpec]> = {
  v2: ['task', { generation: 'v2', operation: 'createTask', method: 'POST', path: '/tasks', body: { task: [] } }],
  v3: [
    'session',
    { generation: 'v3', operation: 'createSession', method: 'POST', path: '/sessions', body: { model: [] } },
  ],
  v4: ['run', { generation: 'v4', operation: 'createRun', method: 'POST', path: '/runs', body: {} }],
};

function namesPrefix(url: unknown): boolean {
  return typeof url === 'string' && /\/api\/v3\/?$/.test(url);
}

async function allServed(t: CheckContext): Promise<void> {
  const missing = generations.filter((generation) => t.target[generation] === null);
  if (missing.length > 0)
    t.notTestable(`this target does not offer ${missing.map((name) => name.toUpperCase()).join(' and ')}`);
  await served(t);
}

async function served(t: CheckContext): Promise<void> {
  for (const generation of t.generations) {
    const exchange = await t.resources.probe(...creations[generation]);
    t.expect(exchange.status !== 0 && ![404, 405].includes(exchange.status), {
      cell: generation,
      exchange,
      message: `${exchange.request.method} ${exchange.request.url} ${describeAnswer(exchange)}; expected that ${generation} is served there`,
    });
  }
}

interface DescribedValue {
  /** Path of the value in the published description. */
  path: string;
  holds: (value: unknown) => boolean;
  expected: string;
}

/** Judges a value of the published description. Ends the check as not testable if the target file names none. */
async function description(t: CheckContext, { path, holds, expected }: DescribedValue): Promise<void> {
  const address = t.target.v3?.description ?? null;
  if (address === null) t.notTestable('the target file names no published description (v3.description)');
  const exchange = await t.send({
    generation: 'other',
    operation: 'description',
    method: 'GET',
    path: URL.canParse(address) ? address : `${t.target.url}${address.replace(/^\/?/, '/')}`,
    // A published description is public, and it may be on another host.
    key: 'none',
  });
  const unread = `the published description (v3.description of the target file) ${describeAnswer(exchange)}; expected an OpenAPI document`;
  t.expect(exchange.status === 200, { exchange, message: unread });
  if (exchange.status !== 200) return;
  const value = memberAt(parseJson(exchange.body), path);
  const message = `${path} of the published description is ${show(value)}; expected ${expected}`;
  t.expect(holds(value), { exchange, message });
}
