import { modelRoute, type ModelRow, type Version } from '../../src/contract/models.ts';
import { defaultRules } from '../../src/contract/rule-book.ts';
import { page, table } from './markdown.ts';

/** Model names with what they accept. */
export function modelsPage(): string {
  const { models, thinkingLevels, modelParams } = defaultRules;
  const levels = (version: 'v2' | 'v3', name: string): string =>
    thinkingLevels[version].find((row) => row.model === name)?.levels.join(', ') || 'none';
  const rows = (version: Version): readonly (ModelRow & { readonly intent?: string })[] => models[version].models;
  const route = (version: Version, name: string): string => {
    const found = modelRoute(defaultRules, version, name);
    return found === null ? '' : `${found.provider}: ${found.name}`;
  };
  const neutral = (version: 'v2' | 'v3'): string[][] =>
    rows(version).map((row) => [
      row.name,
      row.aliasOf ?? '',
      row.provider,
      row.availability,
      route(version, row.name),
      levels(version, row.name),
      row.intent ?? '',
    ]);
  const native = models.v4.models.map((row) => {
    const paths = modelParams.matrix
      .filter(({ model }) => model === row.name)
      .map(({ path, values }) => `\`${path}\`: ${values.join(', ')}`);
    return [row.name, row.provider, route('v4', row.name), paths.join('<br>') || 'none'];
  });
  const head = ['Model', 'Stands for', 'Provider', 'Availability', 'Asked as', 'thinkingLevel', 'Meant for'];
  return page(
    'Models',
    'From `spec/rules/`. Availability: native = always; own-key = only with the own-key option; direct-or-cloud = native when the service has a direct provider key or a cloud-platform route; cloud = native through the cloud-platform route.',
    '## V3',
    table(head, neutral('v3')),
    '## V2',
    table(head, neutral('v2')),
    '## V4',
    table(['Model', 'Provider', 'Asked as', 'modelParams'], native),
  );
}
