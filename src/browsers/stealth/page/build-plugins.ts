import type { Mask } from './create-mask.ts';

/** The viewers that every Chrome with a window lists, all for the same types. */
export interface PdfPlugins {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly filename: string;
  readonly suffixes: string;
  readonly description: string;
}

/** Lists that stand for native ones, and what their members are. */
export interface BuiltPlugins {
  readonly plugins: object;
  readonly mimeTypes: object;
  /** The members of one of these objects, `list` being its entries by name; undefined for every other object. */
  readonly recall: (object: object) => Readonly<Record<string, unknown>> | undefined;
}

/**
 * Builds the plugin and type lists of a page out of objects with the native prototypes and no members of their own. Runs in the
 * page, from its source text, so it is complete in itself.
 */
export function buildPlugins(mask: Mask, { names, types, ...shared }: PdfPlugins): BuiltPlugins {
  const { defineProperty } = Reflect;
  const { create } = Object;
  const facts = new WeakMap<object, Readonly<Record<string, unknown>>>();
  const [recall, remember] = [facts.get.bind(facts), facts.set.bind(facts)];
  const objectOf = (kind: string, members: Readonly<Record<string, unknown>>): object => {
    const made: object = create(mask.at(kind, 'prototype'));
    remember(made, members);
    return made;
  };
  type Entry = readonly [name: string, object: object];
  const fill = (list: object, entries: readonly Entry[]): void => {
    entries.forEach(([, value], index) =>
      defineProperty(list, String(index), { value, enumerable: true, writable: false, configurable: true }),
    );
    for (const [name, value] of entries)
      defineProperty(list, name, { value, enumerable: false, writable: false, configurable: true });
  };
  const listOf = (kind: string, entries: readonly Entry[]): object => {
    const list = objectOf(kind, { length: entries.length, list: entries });
    fill(list, entries);
    return list;
  };
  const pluginOf = (name: string): { readonly entry: Entry; readonly mimeTypes: readonly Entry[] } => {
    const mimeTypes: Entry[] = [];
    const plugin = objectOf('Plugin', { ...shared, name, length: types.length, list: mimeTypes });
    for (const type of types) mimeTypes.push([type, objectOf('MimeType', { ...shared, type, enabledPlugin: plugin })]);
    fill(plugin, mimeTypes);
    return { entry: [name, plugin], mimeTypes };
  };
  const made = names.map(pluginOf);
  return {
    plugins: listOf(
      'PluginArray',
      made.map(({ entry }) => entry),
    ),
    // Of the types the first viewer's are listed.
    mimeTypes: listOf('MimeTypeArray', made[0]?.mimeTypes ?? []),
    recall,
  };
}
