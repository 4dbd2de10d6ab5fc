import { createCircuitBreaker, describeAnswer, type Exchange, refused } from '../core/exchange.ts';
import type { JsonObject } from '../core/json.ts';
import { createRandom, randomUuid } from '../core/random.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { Generation, Target } from '../core/target.ts';
import { isCapacity } from './judgement.ts';

/** A cell that must be accepted, tried in a request that is refused for another reason. */
export interface AcceptanceProbe<C> {
  cell: C;
  /** The same request without the cell's value. */
  without: Exchange;
  exchange: Exchange;
}

/** How the cells of one table are tried. */
export interface ProbedTable<C> {
  generation: Generation;
  cells: readonly C[];
  /** A cell that must be refused: the control that shows whether a target judges the value before it looks the id up. */
  control: C;
  /** The request without the cell's value; the same text for cells that share a model. */
  bare: (cell: C) => JsonObject;
  /** Members that carry the cell's value. */
  value: (cell: C) => JsonObject;
  /** True for a refusal whose text is that of the cell. */
  isAbout: (cell: C, exchange: Exchange) => boolean;
}

const places = {
  v2: { kind: 'task', operation: 'createTask', path: '/tasks' },
  v3: { kind: 'session', operation: 'createSession', path: '/sessions' },
  v4: { kind: 'run', operation: 'createRun', path: '/runs' },
} as const;

/** Members with an id that nothing has, for each of which a target may refuse the request, by the companion. */
const unknownIds: Readonly<Record<Generation, (target: Target, id: string) => readonly JsonObject[]>> = {
  v2: (_target, id) => [{ sessionId: id }, { sessionSettings: { profileId: id } }],
  v3: ({ v3 }, id) =>
    [v3?.members.profileId, v3?.members.workspaceId].flatMap((name) =>
      typeof name === 'string' ? [{ [name]: id }] : [],
    ),
  v4: (_target, id) => [{ sessionId: id }, { workspaceId: id }, { attachedFileIds: [id] }],
};

/**
 * Tries cells that must be accepted without dispatching a task. Each request names an id that nothing has, so that it is refused in any
 * case. A target that judges models and levels before it looks ids up then answers each accepted cell as it answers the request without it.
 * Returns an empty list for a target that takes the unknown id, or that looks it up first: the control shows that.
 */
export async function probeAcceptance<C>(
  { resources, target, seed }: ScenarioContext,
  { generation, cells, control, bare, value, isAbout }: ProbedTable<C>,
): Promise<AcceptanceProbe<C>[]> {
  const { kind, ...place } = places[generation];
  const breaker = createCircuitBreaker();
  const send = async (body: JsonObject): Promise<Exchange> => {
    const exchange = await resources.probe(kind, { ...place, generation, method: 'POST', body });
    breaker.note(exchange);
    return exchange;
  };
  const id = randomUuid(createRandom(seed));
  for (const unknown of unknownIds[generation](target, id)) {
    // A target that takes one unknown id takes the others too, and each may have dispatched a task.
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

/** True for a probe that shows that its cell is refused: the text says so, or the value changes the status of the refusal. */
export function refusesCell<C>(
  { cell, without, exchange }: AcceptanceProbe<C>,
  isAbout: ProbedTable<C>['isAbout'],
): boolean {
  if (isCapacity(exchange.status) || isCapacity(without.status) || !refused(exchange)) return false;
  return isAbout(cell, exchange) || (refused(without) && exchange.status !== without.status);
}

/** What a probe shows, for the message of a violation. */
export function describeProbe<C extends { key: string }>({ cell, without, exchange }: AcceptanceProbe<C>): string {
  const found = `${cell.key} ${describeAnswer(exchange)}, and the same request without it ${describeAnswer(without)}`;
  return `${found}; expected that a listed value changes nothing`;
}
