import type { JsonObject } from '../core/json.ts';
import type { Generation } from '../core/target.ts';
import type { Probed } from './cells.ts';
import { probeTask } from './probe-bodies.ts';

/** Members of a request beside the faulty member. A refusal must not depend on them. */
export interface RequestRest {
  /** Completes "beside": `a long task`. */
  name: string;
  /** Members that replace those of the smallest request. */
  members: JsonObject;
  /** Members of the smallest request that are left out. */
  without?: readonly string[];
  /** True when the member at fault stands in front of all others in the body. */
  faultFirst?: boolean;
  /** True when the target may refuse the rest for a reason of its own, so that the text of the refusal is not judged. */
  mayBeRefused?: boolean;
}

/** A cell of a table, with the rest of its request. */
export type WithRest<C> = C & { rest: RequestRest };

/** The smallest request as it is. */
export const plainRest: RequestRest = { name: 'nothing else', members: {} };

const tasks: readonly RequestRest[] = [
  { name: 'a long task', members: { task: `${probeTask} ${'Then wait for one more second. '.repeat(120)}` } },
  { name: 'a task in other scripts', members: { task: `Réponds «prêt» 返信してください 🙂 ${probeTask}` } },
  { name: 'a task of several lines', members: { task: `1.\tReply.\n\n2.\t"done"\r\n\\ ${probeTask}` } },
];

const first: RequestRest = { name: 'members in another order', members: {}, faultFirst: true };

const rests: Readonly<Record<Generation, readonly RequestRest[]>> = {
  v2: [
    ...tasks,
    first,
    { name: 'thinking true', members: { thinking: true } },
    { name: 'a judge', members: { judge: true }, mayBeRefused: true },
    { name: 'a start URL', members: { startUrl: 'https://example.com/' }, mayBeRefused: true },
  ],
  v3: [
    ...tasks,
    first,
    { name: 'keepAlive true', members: { keepAlive: true } },
    { name: 'codeMode true', members: { codeMode: true } },
    { name: 'a recording', members: { enableRecording: true } },
    { name: 'no task', members: {}, without: ['task'], mayBeRefused: true },
    {
      name: 'an output schema',
      members: { outputSchema: { type: 'object', properties: { word: { type: 'string' } } } },
    },
  ],
  v4: [
    ...tasks,
    first,
    { name: 'browser settings', members: { browserSettings: { proxyCountryCode: null } }, mayBeRefused: true },
  ],
};

/** Gives each cell another rest of its request; consecutive seeds give a cell all of them. */
export function withRests<C extends { key: string }>(
  cells: readonly C[],
  generation: Generation,
  seed: number,
): WithRest<C>[] {
  const all = rests[generation];
  return cells.map((cell, index) => {
    const rest = all[(index + seed) % all.length] ?? first;
    return { ...cell, key: `${cell.key} beside ${rest.name}`, rest };
  });
}

/** The probes whose only fault is that of their cell, so that the text of the refusal must speak of it. */
export function withPlainRests<C>(probes: readonly Probed<WithRest<C>>[]): Probed<WithRest<C>>[] {
  return probes.filter(({ cell }) => cell.rest.mayBeRefused !== true);
}

/** The body of a request with a fault, in the order that the rest asks for. */
export function bodyWithRest(smallest: JsonObject, fault: JsonObject, rest: RequestRest): JsonObject {
  const { members, without = [], faultFirst } = rest;
  const kept = Object.entries(smallest).filter(([name]) => !without.includes(name));
  const others = { ...Object.fromEntries(kept), ...members };
  return faultFirst === true ? { ...fault, ...others, ...fault } : { ...others, ...fault };
}
