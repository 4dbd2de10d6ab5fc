import { createCircuitBreaker, describeAnswer, type Exchange, refused, isCapacity } from '../core/exchange.ts';
import { type JsonObject, memberAt } from '../core/json.ts';
import { createRandom, randomUuid } from '../core/random.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { Generation, Target } from '../core/target.ts';

/**
 * A matrix cell that the target must accept, with the responses to two requests that the target refuses for another
 * reason: one without and one with the cell's value.
 */
export interface AcceptanceProbe<C> {
  cell: C;
  /** Answer to the same request without the cell's value. */
  without: Exchange;
  /**
   * True if all requests without a cell's value got the same status, also the request with which the control cell is
   * compared. This status is then about the fault that all these requests contain.
   */
  isSteady: boolean;
  /** Members that carry the cell's value. */
  members: readonly string[];
  exchange: Exchange;
}

/** Requests that probe the cells of one table. */
export interface ProbedTable<C> {
  generation: Generation;
  /** Kind of resource that the requests would create. @defaultValue the kind that runs a task in the generation */
  creates?: 'browser';
  cells: readonly C[];
  /**
   * A cell with a value that the target must refuse. Its answer shows whether the target validates the value before it
   * looks up the id of the request.
   */
  control: C;
  /** Returns the request without the cell's value; cells with the same model have equal requests. */
  bare: (cell: C) => JsonObject;
  /** Returns the members that carry the cell's value. */
  value: (cell: C) => JsonObject;
  /** Returns true if the text or the location of a refusal is about the cell. */
  isAbout: (cell: C, exchange: Exchange) => boolean;
}

const places = {
  v2: { kind: 'task', operation: 'createTask', path: '/tasks' },
  v3: { kind: 'session', operation: 'createSession', path: '/sessions' },
  v4: { kind: 'run', operation: 'createRun', path: '/runs' },
  browser: { kind: 'browser', operation: 'createBrowser', path: '/browsers' },
} as const;

/**
 * Members with an id that does not exist. The companion allows a target to refuse the request for each of these
 * members.
 */
const unknownIds: Readonly<Record<keyof typeof places, (target: Target, id: string) => readonly JsonObject[]>> = {
  v2: (_target, id) => [{ sessionId: id }, { sessionSettings: { profileId: id } }],
  v3: ({ v3 }, id) =>
    [sessionMember(v3), v3?.members.profileId, v3?.members.workspaceId].flatMap((name) =>
      typeof name === 'string' ? [{ [name]: id }] : [],
    ),
  v4: (_target, id) => [{ sessionId: id }, { workspaceId: id }, { attachedFileIds: [id] }],
  browser: (_target, id) => [{ profileId: id }],
};

/**
 * Members that the target must refuse. A target that reports every fault of a request reports a refused cell too. So an
 * answer that reports only the wrong member shows that the target accepts the cell.
 */
const wrongMembers: Readonly<Record<keyof typeof places, readonly JsonObject[]>> = {
  v2: [{ task: 7 }],
  v3: [{ task: 7 }],
  v4: [{ task: 7 }],
  browser: [],
};

/**
 * Returns the name of the member that makes a session creation a follow-up. Returns null or undefined if no such member
 * exists, because follow-ups have their own path or are not offered.
 */
function sessionMember(v3: Target['v3']): string | null | undefined {
  return v3?.followUp?.path === places.v3.path ? v3.followUp.idMember : undefined;
}

/**
 * Probes cells that must be accepted, but dispatches no task and starts no browser. Each request contains an unknown
 * id, or a member of a wrong type, so the target refuses it in any case. A target that validates models and levels
 * first, or reports every fault, answers an accepted cell like the request without the value. Returns an empty list if
 * no control request shows that the target validates in one of these two ways.
 */
export async function probeAcceptance<C>(
  { resources, target, seed }: ScenarioContext,
  table: ProbedTable<C>,
): Promise<AcceptanceProbe<C>[]> {
  const { generation, creates, control, bare, value, isAbout } = table;
  const { kind, ...place } = places[creates ?? generation];
  const breaker = createCircuitBreaker();
  const send = async (body: JsonObject): Promise<Exchange> => {
    const exchange = await resources.probe(kind, { ...place, generation, method: 'POST', body });
    breaker.note(exchange);
    return exchange;
  };
  const id = randomUuid(createRandom(seed));
  for (const faults of [unknownIds[creates ?? generation](target, id), wrongMembers[creates ?? generation]]) {
    for (const fault of faults) {
      const plain = await send({ ...bare(control), ...fault });
      // A target that accepts one unknown id may accept the others too, and each request may have dispatched a task.
      if (!refused(plain)) break;
      const told = await send({ ...bare(control), ...fault, ...value(control) });
      if (isAbout(control, told)) return sendProbes(table, { fault, plain, send, isOver: () => breaker.on() });
    }
  }
  return [];
}

interface ProbeRequests {
  /** Members for which the target refuses every request. */
  fault: JsonObject;
  /** Answer to a request without a value. */
  plain: Exchange;
  send: (body: JsonObject) => Promise<Exchange>;
  isOver: () => boolean;
}

async function sendProbes<C>(
  { cells, bare, value }: ProbedTable<C>,
  { fault, plain, send, isOver }: ProbeRequests,
): Promise<AcceptanceProbe<C>[]> {
  const plains = new Map<string, Exchange>();
  const probes: AcceptanceProbe<C>[] = [];
  for (const cell of cells) {
    const body = { ...bare(cell), ...fault };
    const key = JSON.stringify(body);
    const without = plains.get(key) ?? (await send(body));
    plains.set(key, without);
    if (isOver()) break;
    const carried = value(cell);
    const exchange = await send({ ...body, ...carried });
    probes.push({ cell, without, isSteady: false, members: Object.keys(carried), exchange });
  }
  const isSteady = [...plains.values()].every(({ status }) => status === plain.status);
  return probes.map((probe) => ({ ...probe, isSteady }));
}

/**
 * Returns true if the target refused the request because of the cell's value. One of three facts shows this: the
 * refusal is about the cell (`isAbout`); it names a location that the refusal without the value does not name; or the
 * two statuses differ, and the refusal without the value is no 422. Returns false for statuses that may be about
 * billing, permissions or load.
 */
export function refusesCell<C>(probe: AcceptanceProbe<C>, isAbout: ProbedTable<C>['isAbout']): boolean {
  const { cell, without, exchange } = probe;
  if (isCapacity(exchange.status) || !isAboutFault(probe) || !refused(exchange)) return false;
  if (isAbout(cell, exchange) || locatesValue(probe)) return true;
  // A 422 without the value may refuse the model, for example if the target lacks the provider key. Any other refusal
  // concerns the unknown id.
  return refused(without) && without.status !== 422 && exchange.status !== without.status;
}

/**
 * Returns false if the status of the answer without the value may be about billing, permissions or load, and not about
 * the fault in the request. A 403 counts as about the fault if every request without a value got it.
 */
function isAboutFault<C>({ without, isSteady }: AcceptanceProbe<C>): boolean {
  return !isCapacity(without.status) || (without.status === 403 && isSteady);
}

/**
 * Returns true if a 422 names a member of the value in a location, and the answer without the value names no such
 * member.
 */
function locatesValue<C>({ members, without, exchange }: AcceptanceProbe<C>): boolean {
  const isNamed = ({ json }: Exchange): boolean => {
    const detail = memberAt(json, 'detail');
    const parts = (Array.isArray(detail) ? detail : []).flatMap((element) => memberAt(element, 'loc') ?? []);
    return parts.some((part) => typeof part === 'string' && members.includes(part));
  };
  return exchange.status === 422 && isNamed(exchange) && !isNamed(without);
}

/** Describes a probe for the message of a violation. */
export function describeProbe<C extends { key: string }>({ cell, without, exchange }: AcceptanceProbe<C>): string {
  const found = `${cell.key} ${describeAnswer(exchange)}, and the same request without it ${describeAnswer(without)}`;
  return `${found}; expected that a listed value changes nothing`;
}
