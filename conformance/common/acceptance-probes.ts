import { createCircuitBreaker, describeAnswer, type Exchange, refused, isCapacity } from '../core/exchange.ts';
import type { JsonObject } from '../core/json.ts';
import { createRandom, randomUuid } from '../core/random.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { Generation, Target } from '../core/target.ts';

/** A matrix cell that must be accepted, sent in a request that the target refuses for another reason. */
export interface AcceptanceProbe<C> {
  cell: C;
  /** Answer to the same request without the cell's value. */
  without: Exchange;
  exchange: Exchange;
}

/** Requests that probe the cells of one table. */
export interface ProbedTable<C> {
  generation: Generation;
  /** Kind of resource that the requests would create. @defaultValue the kind that runs a task in the generation */
  creates?: 'browser';
  cells: readonly C[];
  /** A cell that must be refused. It shows whether the target validates the value before it looks the id up. */
  control: C;
  /** Returns the request without the cell's value; equal for cells that share a model. */
  bare: (cell: C) => JsonObject;
  /** Returns the members that carry the cell's value. */
  value: (cell: C) => JsonObject;
  /** Returns true for a refusal whose text is about the cell. */
  isAbout: (cell: C, exchange: Exchange) => boolean;
}

const places = {
  v2: { kind: 'task', operation: 'createTask', path: '/tasks' },
  v3: { kind: 'session', operation: 'createSession', path: '/sessions' },
  v4: { kind: 'run', operation: 'createRun', path: '/runs' },
  browser: { kind: 'browser', operation: 'createBrowser', path: '/browsers' },
} as const;

/** Members with an id that does not exist. By the companion, a target may refuse the request for each of them. */
const unknownIds: Readonly<Record<keyof typeof places, (target: Target, id: string) => readonly JsonObject[]>> = {
  v2: (_target, id) => [{ sessionId: id }, { sessionSettings: { profileId: id } }],
  v3: ({ v3 }, id) =>
    [sessionMember(v3), v3?.members.profileId, v3?.members.workspaceId].flatMap((name) =>
      typeof name === 'string' ? [{ [name]: id }] : [],
    ),
  v4: (_target, id) => [{ sessionId: id }, { workspaceId: id }, { attachedFileIds: [id] }],
  browser: (_target, id) => [{ profileId: id }],
};

/** Returns the member that makes a creation a follow-up of an existing session; undefined if follow-ups have their own path. */
function sessionMember(v3: Target['v3']): string | null | undefined {
  return v3?.followUp?.path === places.v3.path ? v3.followUp.idMember : undefined;
}

/**
 * Probes cells that must be accepted without dispatching a task or starting a browser. Each request contains an
 * unknown id, so the target refuses it in any case. A target that validates models and levels first answers an
 * accepted cell like the request without the value. Returns an empty list if a control request shows that the target
 * accepts the unknown id or looks it up first.
 */
export async function probeAcceptance<C>(
  { resources, target, seed }: ScenarioContext,
  { generation, creates, cells, control, bare, value, isAbout }: ProbedTable<C>,
): Promise<AcceptanceProbe<C>[]> {
  const { kind, ...place } = places[creates ?? generation];
  const breaker = createCircuitBreaker();
  const send = async (body: JsonObject): Promise<Exchange> => {
    const exchange = await resources.probe(kind, { ...place, generation, method: 'POST', body });
    breaker.note(exchange);
    return exchange;
  };
  const id = randomUuid(createRandom(seed));
  for (const unknown of unknownIds[creates ?? generation](target, id)) {
    // A target that accepts one unknown id may accept the others too, and each request may have dispatched a task.
    if (!refused(await send({ ...bare(control), ...unknown }))) return [];
    const told = await send({ ...bare(control), ...unknown, ...value(control) });
    if (!isAbout(control, told)) continue;
    const plain = new Map<string, Exchange>();
    const probes: AcceptanceProbe<C>[] = [];
    for (const cell of cells) {
      const body = { ...bare(cell), ...unknown };
      const key = JSON.stringify(body);
      const without = plain.get(key) ?? (await send(body));
      plain.set(key, without);
      if (breaker.on()) return probes;
      probes.push({ cell, without, exchange: await send({ ...body, ...value(cell) }) });
    }
    return probes;
  }
  return [];
}

/**
 * Returns true if the target refused the cell of a probe: by the error text, or by a different status than without the
 * value.
 */
export function refusesCell<C>(
  { cell, without, exchange }: AcceptanceProbe<C>,
  isAbout: ProbedTable<C>['isAbout'],
): boolean {
  if (isCapacity(exchange.status) || isCapacity(without.status) || !refused(exchange)) return false;
  if (isAbout(cell, exchange)) return true;
  // Without an own key, the target may refuse the model itself. With the key, it comes as far as the unknown id.
  return refused(without) && without.status !== 422 && exchange.status !== without.status;
}

/** Describes a probe for the message of a violation. */
export function describeProbe<C extends { key: string }>({ cell, without, exchange }: AcceptanceProbe<C>): string {
  const found = `${cell.key} ${describeAnswer(exchange)}, and the same request without it ${describeAnswer(without)}`;
  return `${found}; expected that a listed value changes nothing`;
}
