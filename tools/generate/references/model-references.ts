import { placesIn, textIn } from './places.ts';
import { type Names, type Reference, allVersions } from './reference.ts';

/** Returns the known paths of `modelParams`. */
export const paramPath: Names = (known) => known.rule('model-params', 'matrix.*.path');
const provider: Names = (known) => known.rule('providers', 'providers.*.provider');
const route: Names = (known) => known.rule('providers', 'traits.*.route');
const family: Names = (known) => known.rule('reasoning-mapping', 'families.*.family');
/** Creates a function that returns the model names of the given generations. */
export const models = (versions: readonly string[]): Names => {
  return (known) => versions.flatMap((version) => known.rule('models', `${version}.models.*.name`));
};

/**
 * Returns the paths of reasoning controls in requests to model providers, and every end of such a path (`b.c` and `c`
 * of `a.b.c`), because `modelParams` may omit the beginning.
 */
const controlPlace: Names = (known) =>
  known.rule('provider-requests', 'controls.*.places.*').flatMap((place) => {
    const steps = place.split('.');
    return steps.map((_step, at) => steps.slice(at).join('.'));
  });

/** References of the tables about models and providers. */
export const modelTables: Readonly<Record<string, readonly Reference[]>> = {
  models: allVersions.flatMap((version) => [
    ...['default.model', 'recommended.model', 'models.*.aliasOf'].map((at) => ({
      at: `${version}.${at}`,
      expected: `a model of ${version.toUpperCase()}`,
      names: models([version]),
    })),
    {
      at: `${version}.models.*.provider`,
      expected: 'a provider of providers.yaml, or svc',
      names: (...given) => ['svc', ...provider(...given)],
    },
    { at: `${version}.models.*.route`, expected: 'a route of the traits in providers.yaml', names: route },
  ]),
  'model-params': [
    { at: 'matrix.*.model', expected: 'a model of V4', names: models(['v4']) },
    { at: 'matrix.*.path', expected: 'a place of a control in provider-requests.yaml', names: controlPlace },
    {
      at: 'matrix.*.values.*',
      expected: 'a word of that place in provider-requests.yaml',
      names: (known, row) =>
        known.words
          .filter(({ place }) => `.${place}`.endsWith(`.${textIn(row, 'path')}`))
          .flatMap(({ words }) => words),
    },
    { at: 'defaults.*.model', expected: 'a model of V4', names: models(['v4']) },
    { at: 'defaults.*.path', expected: 'a path of the matrix', names: paramPath },
    {
      at: 'defaults.*.value',
      expected: 'a value that the matrix lists for the model and the path',
      names: (_known, { model, path }, [, table]) =>
        placesIn(table ?? {}, 'matrix.*.values.*')
          .filter(({ rows: [row] }) => row?.['model'] === model && row?.['path'] === path)
          .map(({ word }) => word),
    },
  ],
  pricing: [{ at: 'models.*.model', expected: 'a model of a generation', names: models(allVersions) }],
  providers: [
    { at: 'dialects.*.provider', expected: 'a provider of this file', names: provider },
    {
      at: 'traits.*.route',
      expected: 'a route that a model has',
      names: (known) => allVersions.flatMap((version) => known.rule('models', `${version}.models.*.route`)),
    },
  ],
  'provider-requests': [
    {
      at: 'families.*.required.*',
      expected: 'a member of the family',
      names: (_known, row) => placesIn(row, 'members.~').map(({ word }) => word),
    },
    {
      at: 'families.*.words.~',
      expected: 'a member of the family or a place of a control',
      names: (known, _words, [, row]) => [
        ...placesIn(row ?? {}, 'members.~').map(({ word }) => word),
        ...known.rule('provider-requests', 'controls.*.places.*'),
      ],
    },
  ],
  'reasoning-mapping': [
    { at: 'families.*.control', expected: 'a place of a control in provider-requests.yaml', names: controlPlace },
    ...['v2', 'v3'].map((version) => ({
      at: `families.*.routesTo.${version}`,
      expected: `a model of ${version.toUpperCase()}`,
      names: models([version]),
    })),
  ],
  'thinking-levels': ['v2', 'v3'].flatMap((version) => [
    { at: `${version}.*.model`, expected: `a model of ${version.toUpperCase()}`, names: models([version]) },
    { at: `${version}.*.family`, expected: 'a family of reasoning-mapping.yaml', names: family },
  ]),
};
