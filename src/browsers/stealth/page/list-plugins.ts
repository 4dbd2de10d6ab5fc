import type { BuiltPlugins } from './build-plugins.ts';
import type { Mask, MaskedCall } from './create-mask.ts';

/**
 * Lists the PDF viewers of a Chrome with a window where there are none (the headless shell): the native getters and methods
 * answer for what was built. Runs in the page, from its source text, so it is complete in itself.
 */
export function listPlugins(mask: Mask, build: () => BuiltPlugins): void {
  const owner = mask.at('navigator');
  const native = mask.at('navigator', 'plugins');
  if (native === null || Reflect.get(native, 'length') !== 0) return;
  const { recall, plugins, mimeTypes } = build();
  const all: Readonly<Record<string, unknown>> = { plugins, mimeTypes, pdfViewerEnabled: true };

  const factsOf = ({ self }: MaskedCall): Readonly<Record<string, unknown>> | undefined =>
    typeof self === 'object' && self !== null ? recall(self) : undefined;
  const answer = (kind: string, members: readonly string[]): void => {
    for (const member of members)
      mask.getter(mask.at(kind, 'prototype'), member, (call) => {
        const known = factsOf(call);
        return known === undefined ? call.native() : known[member];
      });
  };
  /** Looks for an entry by what the method was given; a call without it throws as ever. */
  const look = (kind: string, method: string, isIt: (given: unknown, name: string, index: number) => boolean): void =>
    mask.method(mask.at(kind, 'prototype'), method, (call) => {
      const list = factsOf(call)?.['list'];
      if (!Array.isArray(list) || call.args.length === 0) return call.native();
      for (let index = 0; index < list.length; index += 1)
        if (isIt(call.args[0], list[index][0], index)) return list[index][1];
      return null;
    });

  for (const kind of ['PluginArray', 'MimeTypeArray', 'Plugin']) {
    answer(kind, ['length']);
    // As an unsigned number of 32 bits, which the native one makes of it.
    look(kind, 'item', (given, _name, index) => Number(given) >>> 0 === index);
    look(kind, 'namedItem', (given, name) => String(given) === name);
  }
  answer('Plugin', ['name', 'filename', 'description']);
  answer('MimeType', ['type', 'suffixes', 'description', 'enabledPlugin']);
  mask.method(mask.at('PluginArray', 'prototype'), 'refresh', (call) =>
    factsOf(call) === undefined ? call.native() : undefined,
  );
  for (const member of ['plugins', 'mimeTypes', 'pdfViewerEnabled'])
    mask.getter(mask.at('Navigator', 'prototype'), member, (call) => {
      // Asked first, because it throws for everything that is no navigator.
      const value = call.native();
      return call.self === owner ? all[member] : value;
    });
}
