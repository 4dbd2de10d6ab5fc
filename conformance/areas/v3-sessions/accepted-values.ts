import type { ScenarioContext } from '../../core/scenario.ts';
import type { JsonObject } from '../../core/json.ts';
import { sample } from '../../core/random.ts';
import type { Schemas } from '../../core/schemas.ts';
import type { Target } from '../../core/target.ts';
import type { ProbedTable } from '../../common/acceptance-probes.ts';
import { acceptedLevelCells, isReachable, type LevelCell, levelCells } from '../../common/level-cells.ts';
import { sessionProbe } from '../../common/probe-bodies.ts';
import { levelTemplate, supportedList } from '../../common/refusals.ts';

/**
 * Returns the combinations of model and level that V3 must accept, as probes: requests that are refused for another
 * reason (see `probeAcceptance`).
 */
export function levelTable(target: Target): ProbedTable<LevelCell> {
  const control = levelCells('v3').find((cell) => !cell.accepted && !cell.ownKey && cell.supported.length > 0);
  if (control === undefined) throw new Error('the V3 matrix has no model that refuses some levels');
  return {
    generation: 'v3',
    cells: acceptedLevelCells.filter((cell) => isReachable(cell, target)),
    control,
    bare: (cell) => ({ ...sessionProbe(target), model: cell.model, ...ownKeyOption(cell) }),
    value: ({ level }) => ({ thinkingLevel: level }),
    isAbout: ({ names, level }, exchange) => supportedList(exchange, levelTemplate(names, level)) !== undefined,
  };
}

/** Returns the own-key option of a cell, for models that need it; empty for other models. */
export function ownKeyOption({ ownKey }: LevelCell): JsonObject {
  return ownKey ? { useOwnKey: true } : {};
}

/** A value that must be accepted, with the further members that make its request complete. */
export interface ValueCell {
  key: string;
  bare: JsonObject;
  value: JsonObject;
}

/**
 * Returns further values that V3 creation must accept: null levels, levels with the caller's own key, the own-key
 * option, and countries.
 */
export function valueTable({ target, seed, schemas: documents }: ScenarioContext): ProbedTable<ValueCell> {
  const { control } = levelTable(target);
  return {
    generation: 'v3',
    cells: [
      ...nullCells(target),
      ...sharedMatrixCells(target),
      ...ownRouteCells(target),
      ...countryCells(target, listedCountries(documents), seed),
    ],
    control: { key: control.key, bare: { model: control.model }, value: { thinkingLevel: control.level } },
    bare: ({ bare }) => ({ ...sessionProbe(target), ...bare }),
    value: ({ value }) => value,
    isAbout: ({ key }, exchange) =>
      key === control.key && supportedList(exchange, levelTemplate(control.names, control.level)) !== undefined,
  };
}

function nullCells(target: Target): ValueCell[] {
  const first = levelCells('v3').filter((cell) => cell.level === 'low' && isReachable(cell, target));
  return first.map((cell) => {
    const bare = { model: cell.model, ...ownKeyOption(cell) };
    return { key: `${cell.model} null`, bare, value: { thinkingLevel: null } };
  });
}

/**
 * Returns the accepted levels of models that the service serves itself, each with `useOwnKey` true, for providers with
 * a key of the caller. The matrix of levels is the same with either key.
 */
function sharedMatrixCells(target: Target): ValueCell[] {
  const served = acceptedLevelCells.filter(({ ownKey, provider }) => !ownKey && target.ownKeys.includes(provider));
  return served.map(({ key, model, level }) => {
    return { key: `${key} with useOwnKey`, bare: { model, useOwnKey: true }, value: { thinkingLevel: level } };
  });
}

/**
 * Returns a value `useOwnKey: true` for each model that the service serves itself and for whose provider the caller has
 * stored a key.
 */
function ownRouteCells(target: Target): ValueCell[] {
  const served = levelCells('v3').filter(
    (cell) => cell.level === 'low' && !cell.ownKey && target.ownKeys.includes(cell.provider),
  );
  return served.map(({ model }) => ({ key: `${model} useOwnKey`, bare: { model }, value: { useOwnKey: true } }));
}

/** Number of countries that the seed chooses, besides the first, the last and uk. */
const drawnCountries = 5;

function listedCountries(documents: Schemas): string[] {
  const codes = documents.component('v3', 'ProxyCountryCode')['enum'];
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : [];
}

function countryCells({ v3 }: Target, codes: readonly string[], seed: number): ValueCell[] {
  const member = v3?.members.proxyCountryCode ?? null;
  if (member === null) return [];
  const [first = 'us', last = 'us'] = [codes[0], codes.at(-1)];
  const drawn = new Set([first, last, 'uk', ...sample(codes, drawnCountries, seed)]);
  return [...drawn].map((code) => ({ key: `country ${code}`, bare: {}, value: { [member]: code } }));
}
