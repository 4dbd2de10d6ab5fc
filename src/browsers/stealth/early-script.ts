import {
  addChromeObject,
  buildPlugins,
  type BuiltPlugins,
  createMask,
  type Mask,
  type MaskedCall,
  type PdfPlugins,
} from './masks.ts';

/** Graphics card that pages see in place of a software renderer: a common card of machines with Chromium on Linux. */
const graphics: GraphicsNames = {
  vendor: 'Google Inc. (Intel)',
  renderer: 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 630 (CFL GT2), OpenGL 4.6)',
};

/** PDF plugins that the HTML standard prescribes for browsers with a PDF viewer. */
const pdfPlugins: PdfPlugins = {
  names: ['PDF Viewer', 'Chrome PDF Viewer', 'Chromium PDF Viewer', 'Microsoft Edge PDF Viewer', 'WebKit built-in PDF'],
  types: ['application/pdf', 'text/pdf'],
  filename: 'internal-pdf-viewer',
  suffixes: 'pdf',
  description: 'Portable Document Format',
};

/**
 * JavaScript that runs in every document and worker before any other script. It changes notifications before it adds
 * the `chrome` object. Both changes are only for a headless shell, which is recognised by the missing object.
 */
export const earlyScript = `(() => {
'use strict';
const mask = (${createMask.toString()})();
(${quietConsole.toString()})(mask);
(${nameGraphics.toString()})(mask, ${JSON.stringify(graphics)});
if (!('document' in globalThis)) return;
(${openNotifications.toString()})(mask);
(${addChromeObject.toString()})(mask);
(${listPlugins.toString()})(mask, () => (${buildPlugins.toString()})(mask, ${JSON.stringify(pdfPlugins)}));
})()`;

/**
 * Makes the two APIs for the notification permission agree. A headless shell reports "denied" in one API and "prompt"
 * in the other. Runs in the page from its source text, so it is self-contained.
 */
function openNotifications(mask: Mask): void {
  // Pages without HTTPS cannot request the permission in any browser.
  if (Reflect.get(globalThis, 'isSecureContext') !== true || Reflect.has(globalThis, 'chrome')) return;
  mask.getter(mask.at('Notification'), 'permission', (call) => {
    const value = call.native();
    return value === 'denied' ? 'default' : value;
  });
}

/** Graphics names reported by WebGL. */
interface GraphicsNames {
  readonly vendor: string;
  readonly renderer: string;
}

/**
 * Makes WebGL report a graphics card when graphics are rendered in software, as on machines without a screen. The name
 * of a real card is not changed. Runs in pages and workers from its source text, so it is self-contained.
 */
function nameGraphics(mask: Mask, { vendor, renderer }: GraphicsNames): void {
  // UNMASKED_VENDOR_WEBGL and UNMASKED_RENDERER_WEBGL of WEBGL_debug_renderer_info, with their names of software
  // renderers.
  const kinds = [
    { parameter: 0x9245, inSoftware: /^Google Inc\. \((?:Google|Mesa)\)$/, named: vendor },
    { parameter: 0x9246, inSoftware: /SwiftShader|llvmpipe/, named: renderer },
  ];
  for (const context of ['WebGLRenderingContext', 'WebGL2RenderingContext']) {
    mask.method(mask.at(context, 'prototype'), 'getParameter', (call) => {
      const value = call.native();
      if (typeof value !== 'string') return value;
      for (const { parameter, inSoftware, named } of kinds)
        if (parameter === call.args[0] && inSoftware.test(value)) return named;
      return value;
    });
  }
}

/**
 * Prevents pages from detecting that a DevTools client reads the console. With such a client, V8 serialises the stacks
 * of printed errors, which a page can observe with `Error.prepareStackTrace`. This hook is removed during each console
 * call. Runs in the page from its source text, so it is self-contained.
 */
function quietConsole(mask: Mask): void {
  const { defineProperty, deleteProperty, getOwnPropertyDescriptor, has, ownKeys } = Reflect;
  const hook = 'prepareStackTrace';
  const errors = Error;
  const owner = mask.at('console');
  if (owner === null) return;
  for (const name of ownKeys(owner)) {
    if (typeof name !== 'string') continue;
    mask.method(owner, name, (call) => {
      if (!has(errors, hook)) return call.native();
      const found = getOwnPropertyDescriptor(errors, hook);
      // Fails where a page has made the property fixed; only that page can then detect the client.
      if (!defineProperty(errors, hook, { value: undefined, configurable: true, enumerable: false, writable: true }))
        return call.native();
      try {
        return call.native();
      } finally {
        if (found === undefined) deleteProperty(errors, hook);
        else defineProperty(errors, hook, found);
      }
    });
  }
}

/**
 * Makes `navigator.plugins` list the PDF viewers of a desktop Chrome if the list is empty, as in a headless shell.
 * Overrides native getters and methods. Runs in the page from its source text, so it is self-contained.
 */
function listPlugins(mask: Mask, build: () => BuiltPlugins): void {
  const owner = mask.at('navigator');
  const native = mask.at('navigator', 'plugins');
  if (native === null || Reflect.get(native, 'length') !== 0) return;
  const { recall, plugins, mimeTypes } = build();
  const all: Readonly<Record<string, unknown>> = { plugins, mimeTypes, pdfViewerEnabled: true };

  const getFacts = ({ self }: MaskedCall): Readonly<Record<string, unknown>> | undefined =>
    typeof self === 'object' && self !== null ? recall(self) : undefined;
  const answer = (kind: string, members: readonly string[]): void => {
    for (const member of members)
      mask.getter(mask.at(kind, 'prototype'), member, (call) => {
        const known = getFacts(call);
        return known === undefined ? call.native() : known[member];
      });
  };
  /**
   * Overrides `method` of the class `kind` for the built lists: returns the first entry for which `isIt` is true, or
   * else null. Calls without an argument, and calls on other objects, reach the native method.
   */
  const look = (kind: string, method: string, isIt: (given: unknown, name: string, index: number) => boolean): void =>
    mask.method(mask.at(kind, 'prototype'), method, (call) => {
      const list = getFacts(call)?.['list'];
      if (!Array.isArray(list) || call.args.length === 0) return call.native();
      for (let index = 0; index < list.length; index += 1)
        if (isIt(call.args[0], list[index][0], index)) return list[index][1];
      return null;
    });

  for (const kind of ['PluginArray', 'MimeTypeArray', 'Plugin']) {
    answer(kind, ['length']);
    // As an unsigned 32-bit number, like the native conversion.
    look(kind, 'item', (given, _name, index) => Number(given) >>> 0 === index);
    look(kind, 'namedItem', (given, name) => String(given) === name);
  }
  answer('Plugin', ['name', 'filename', 'description']);
  answer('MimeType', ['type', 'suffixes', 'description', 'enabledPlugin']);
  mask.method(mask.at('PluginArray', 'prototype'), 'refresh', (call) =>
    getFacts(call) === undefined ? call.native() : undefined,
  );
  for (const member of ['plugins', 'mimeTypes', 'pdfViewerEnabled'])
    mask.getter(mask.at('Navigator', 'prototype'), member, (call) => {
      // Called first, because it throws for objects that are no navigator.
      const value = call.native();
      return call.self === owner ? all[member] : value;
    });
}
