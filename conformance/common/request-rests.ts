import type { JsonObject } from '../core/json.ts';
import type { Generation } from '../core/target.ts';
import type { Probed } from './probe-cells.ts';
import { probeTask } from './probe-bodies.ts';

/** Valid members of a request that has one invalid member. The refusal must not depend on these valid members. */
export interface RequestRest {
  /** Description of the members, which messages show after the word "beside", for example `a long task`. */
  name: string;
  /** Members that replace those of the smallest request. */
  members: JsonObject;
  /** Members of the smallest request that are omitted. */
  without?: readonly string[];
  /** True if the invalid member comes first in the body, before the members on which its validity depends. */
  faultFirst?: boolean;
  /** True when the target may refuse these members for another reason, so the text of the refusal is not judged. */
  mayBeRefused?: boolean;
}

/** A cell of a table, combined with further valid members of its request. */
export type WithRest<C> = C & { rest: RequestRest };

/**
 * A {@link RequestRest} without members: the smallest request stays unchanged, and its only fault is that of the cell.
 */
export const plainRest: RequestRest = { name: 'nothing else', members: {} };

const tasks: readonly RequestRest[] = [
  { name: 'a long task', members: { task: `${probeTask} ${'Then wait for one more second. '.repeat(120)}` } },
  { name: 'a short task', members: { task: 'Say ok' } },
  { name: 'a task in other scripts', members: { task: `Réponds «prêt» 返信してください 🙂 ${probeTask}` } },
  { name: 'a task of several lines', members: { task: `1.\tReply.\n\n2.\t"done"\r\n\\ ${probeTask}` } },
  { name: 'a task with an address', members: { task: `Open https://example.com/?a=1&b=2#c and stop. ${probeTask}` } },
  { name: 'a task that is JSON', members: { task: '{"task": "Reply with the single word done.", "count": 12}' } },
];

const first: RequestRest = { name: 'members in another order', members: {}, faultFirst: true };

const wordSchema: JsonObject = { type: 'object', properties: { word: { type: 'string' } } };

/**
 * Returns one {@link RequestRest} for each of the members, which only the companion documents. A target that does not
 * have such a member may refuse it.
 */
function companionRests(members: JsonObject): RequestRest[] {
  return Object.entries(members).map(([name, value]) => ({
    name: `${name} ${JSON.stringify(value).slice(0, 40)}`,
    members: { [name]: value },
    mayBeRefused: true,
  }));
}

const unknownMember: RequestRest = {
  name: 'a member of another name',
  members: { svc_unlisted: 'value' },
  mayBeRefused: true,
};

const rests: Readonly<Record<Generation, readonly RequestRest[]>> = {
  v2: [
    ...tasks,
    first,
    unknownMember,
    { name: 'thinking true', members: { thinking: true } },
    { name: 'thinking false', members: { thinking: false } },
    ...companionRests({
      startUrl: 'https://example.com/',
      maxSteps: 3,
      structuredOutput: JSON.stringify(wordSchema),
      metadata: { purpose: 'svc-check' },
      secrets: { word: 'svc-secret' },
      allowedDomains: ['example.com'],
      highlightElements: true,
      flashMode: true,
      vision: false,
      systemPromptExtension: 'Answer in one word.',
      judge: true,
      judgeLlm: 'svc-2.0',
      useOwnKey: true,
      sessionSettings: { proxyCountryCode: 'de' },
    }),
  ],
  v3: [
    ...tasks,
    first,
    unknownMember,
    { name: 'keepAlive true', members: { keepAlive: true } },
    { name: 'keepAlive false', members: { keepAlive: false } },
    { name: 'codeMode true', members: { codeMode: true } },
    { name: 'a recording', members: { enableRecording: true } },
    { name: 'no task', members: {}, without: ['task'], mayBeRefused: true },
    { name: 'an output schema', members: { outputSchema: wordSchema } },
    { name: 'no ceiling', members: {}, without: ['maxCostUsd'] },
    {
      name: 'every option at once',
      members: { keepAlive: true, codeMode: true, enableRecording: true, outputSchema: wordSchema },
      mayBeRefused: true,
    },
    ...companionRests({
      proxyCountryCode: 'de',
      sensitiveData: { word: 'svc-secret' },
      inbox: true,
      skills: false,
      cacheScript: true,
      autoHeal: false,
      enableScheduledTasks: false,
    }),
    { name: 'no proxy', members: { proxyCountryCode: null }, mayBeRefused: true },
    {
      name: 'a screen size',
      members: { browserScreenWidth: 1024, browserScreenHeight: 768 },
      mayBeRefused: true,
    },
  ],
  v4: [
    ...tasks,
    first,
    unknownMember,
    { name: 'no ceiling', members: {}, without: ['maxCostUsd'] },
    ...companionRests({
      browserSettings: { proxyCountryCode: null },
      outputSchema: wordSchema,
      judge: {},
      inbox: true,
      useOwnKey: true,
      secretBindings: [
        { alias: 'word', source: { type: 'inline', value: 'svc-secret' }, allowedDomains: ['example.com'] },
      ],
    }),
  ],
};

/**
 * Combines each cell with further request members; consecutive seeds use every combination. Each {@link RequestRest} of
 * the generation is used at least once, and cells are repeated if there are fewer of them.
 */
export function withRests<C extends { key: string }>(
  cells: readonly C[],
  generation: Generation,
  seed: number,
): WithRest<C>[] {
  const all = rests[generation];
  if (cells.length === 0) return [];
  return Array.from({ length: Math.max(cells.length, all.length) }, (_, index) => {
    const cell = cells[index % cells.length]!;
    const rest = all[(index + seed) % all.length] ?? first;
    return { ...cell, key: `${cell.key} beside ${rest.name}`, rest };
  });
}

/**
 * Returns the probes whose further members the target must accept. The cell is the only fault of their requests, so the
 * refusal text must describe the cell.
 */
export function withPlainRests<C>(probes: readonly Probed<WithRest<C>>[]): Probed<WithRest<C>>[] {
  return probes.filter(({ cell }) => cell.rest.mayBeRefused !== true);
}

/**
 * Returns the body of a request with an invalid member and further members, in the member order that the combination
 * requires.
 */
export function bodyWithRest(smallest: JsonObject, fault: JsonObject, rest: RequestRest): JsonObject {
  const { members, without = [], faultFirst } = rest;
  const kept = Object.entries(smallest).filter(([name]) => !without.includes(name));
  const others = { ...Object.fromEntries(kept), ...members };
  const reversed = Object.fromEntries(Object.entries(fault).toReversed());
  return faultFirst === true ? { ...reversed, ...others, ...fault } : { ...others, ...fault };
}
