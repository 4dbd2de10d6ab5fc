import { models } from '#generated/rules.ts';
import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type JsonValue, isJsonObject } from '../../core/json.ts';
import type { RequirementId } from '#generated/requirements.ts';
import { readControls } from '../../provider-stub/index.ts';
import type { ProviderCall } from '../../core/provider-call.ts';
import type { ProviderCell } from './cells.ts';
import { type Expectation, judgeCells, mapped, providerNeeds, shownControls } from './recorded-calls.ts';
import type { Target } from '../../core/target.ts';

const known: readonly string[] = [
  ...new Set([...models.v2.models, ...models.v3.models, ...models.v4.models].map(({ name }) => plain(name))),
].toSorted((left, right) => right.length - left.length);

/** Checks of how V2 and V3 levels and model names reach the model provider. */
export const providerMappingChecks: readonly Check[] = [
  mapping('MAP-02', ['gemini-3-flash']),
  mapping('MAP-03', ['gemini-3.1-pro']),
  check('MAP-04', { needs: providerNeeds('v2', 'v3') }, (t) =>
    judgeCells(t, ofFamily('gemini-3-pro'), ({ calls }) => asModel(t, calls, 'gemini-3.1-pro')),
  ),
  mapping('MAP-05', ['gemini-2.5', 'gemini-2.5-pro'], 'v2'),
  mapping('LIMIT-04', ['gemini-2.5', 'gemini-2.5-pro'], 'v2'),
  check('MAP-07', { needs: providerNeeds('v3') }, (t) => judgeCells(t, thoughtful, ({ cell }) => adaptive(cell))),
  check('MAP-08', { needs: providerNeeds('v2') }, (t) =>
    judgeCells(t, thoughtful, ({ cell, calls }) => effortAlone(cell, calls)),
  ),
  check('MAP-09', { needs: providerNeeds('v2', 'v3') }, (t) =>
    judgeCells(
      t,
      (cell) => ofFamily('claude-adaptive')(cell) && cell.level === 'disabled',
      () => thinkingOff,
    ),
  ),
  mapping('MAP-10', ['claude-fixed-budget'], 'v3'),
  mapping('LIMIT-05', ['claude-fixed-budget'], 'v3'),
  mapping('MAP-12', ['gpt-5.1-and-later']),
  check('MAP-14', { needs: providerNeeds('v3') }, (t) =>
    judgeCells(t, ofFamily('glm'), ({ cell }) => (cell.level === 'disabled' ? mapped(cell) : switchedOn)),
  ),
  aliases('V3-MODEL-05'),
  aliases('VER-11'),
];

type FamilyGenerations = readonly ('v2' | 'v3')[];

/**
 * Creates a check that the levels of some families reach the provider as the mapping states. Excludes levels that turn
 * thinking off with another control; separate requirements cover these levels.
 */
function mapping(id: RequirementId, families: readonly string[], only?: 'v2' | 'v3'): Check {
  const generations: FamilyGenerations = only === undefined ? ['v2', 'v3'] : [only];
  const isInScope = (cell: ProviderCell): boolean => families.some((family) => ofFamily(family)(cell)) && !isOff(cell);
  return check(id, { needs: providerNeeds(...generations) }, (t) =>
    judgeCells(t, isInScope, ({ cell }) => mapped(cell)),
  );
}

function isOff({ family, level }: ProviderCell): boolean {
  return level === 'disabled' && family.startsWith('claude-');
}

function ofFamily(family: string): (cell: ProviderCell) => boolean {
  return (cell) => cell.option === 'level' && cell.family === family;
}

function thoughtful(cell: ProviderCell): boolean {
  return ofFamily('claude-adaptive')(cell) && cell.level !== 'disabled';
}

/**
 * Pattern of the names of Claude models without a documented default for thinking. They may think adaptively without a
 * request member.
 */
const adaptiveByItself = /(opus|sonnet)-5/;

function adaptive(cell: ProviderCell): Expectation {
  return {
    want: `adaptive thinking with the effort ${cell.level}`,
    holds: ({ body, model }) => {
      const { effort, thinking } = readControls(body);
      const isAdaptive = thinking === 'adaptive' || (thinking === undefined && adaptiveByItself.test(model));
      return isAdaptive && effort === cell.level;
    },
    describe: shownControls,
  };
}

function effortAlone(cell: ProviderCell, calls: readonly ProviderCall[]): Expectation {
  const replayed = calls.some(({ body }) => repeatsThoughts(body['messages']));
  return {
    want: `the effort ${cell.level}, and no thinking block of an earlier answer in any request`,
    holds: ({ body }) => readControls(body).effort === cell.level && !replayed,
    describe: (call) =>
      `${shownControls(call)}${replayed ? ', and a later one thinking blocks that the model had answered' : ''}`,
  };
}

function repeatsThoughts(messages: JsonValue | undefined): boolean {
  const all = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  return all.some(({ role, content }) => role === 'assistant' && Array.isArray(content) && content.some(isThought));
}

function isThought(block: JsonValue): boolean {
  return isJsonObject(block) && (block['type'] === 'thinking' || block['type'] === 'redacted_thinking');
}

const thinkingOff: Expectation = {
  want: 'thinking that is off',
  holds: ({ body }) => {
    const { thinking, effort, budget } = readControls(body);
    return thinking === 'disabled' || (thinking === undefined && effort === undefined && budget === undefined);
  },
  describe: shownControls,
};

// The provider thinks by default, so a request without the control also turns thinking on.
const switchedOn: Expectation = {
  want: 'thinking that is on',
  holds: ({ body }) => readControls(body).thinking !== 'disabled',
  describe: shownControls,
};

function asModel(t: CheckContext, calls: readonly ProviderCall[], wanted: string): Expectation | undefined {
  // An unknown name does not identify the model behind it.
  if (calls.every(({ model }) => wireModel(model, t.target) === undefined)) return undefined;
  return {
    want: `the model ${wanted}`,
    holds: ({ model }) => isModel(wireModel(model, t.target) ?? '', wanted),
    describe: ({ model }) => `the model "${model}"`,
  };
}

function aliases(id: RequirementId): Check {
  const rows: readonly { name: string; aliasOf?: string }[] = models.v3.models;
  const findAliasTarget = (model: string): string | undefined => rows.find(({ name }) => name === model)?.aliasOf;
  const isInScope = ({ option, model }: ProviderCell): boolean =>
    option === 'level' && findAliasTarget(model) !== undefined;
  return check(id, { needs: providerNeeds('v3') }, (t) =>
    judgeCells(t, isInScope, ({ cell, calls }) => asModel(t, calls, findAliasTarget(cell.model) ?? '')),
  );
}

/**
 * Returns the longest model name of the tables that a name in a provider request contains as whole words. The rest may
 * be a date or a cloud region. Returns undefined for an unknown name.
 */
function wireModel(wire: string, { providerStub }: Pick<Target, 'providerStub'>): string | undefined {
  const name = plain(providerStub?.models[wire] ?? wire);
  return known.find((one) => contains(name, one));
}

/** Returns true if the found name is the wanted name, or the wanted name with a suffix such as `-preview`. */
function isModel(found: string, wanted: string): boolean {
  return found === plain(wanted) || found.startsWith(`${plain(wanted)}-`);
}

/**
 * Returns a name in lower case with hyphens instead of dots, because providers and the contract spell versions
 * differently.
 */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('.', '-');
}

function contains(name: string, part: string): boolean {
  const at = name.indexOf(part);
  return at >= 0 && !/[a-z0-9]/.test(name[at - 1] ?? '') && !/[a-z0-9]/.test(name[at + part.length] ?? '');
}
