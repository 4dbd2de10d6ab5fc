import { addChromeObject } from './add-chrome-object.ts';
import { buildPlugins, type PdfPlugins } from './build-plugins.ts';
import { createMask } from './create-mask.ts';
import { listPlugins } from './list-plugins.ts';
import { type GraphicsNames, nameGraphics } from './name-graphics.ts';
import { openNotifications } from './open-notifications.ts';
import { quietConsole } from './quiet-console.ts';

/** A common card of the machines that Chromium on Linux runs on, in the words of its usual driver. */
const GRAPHICS: GraphicsNames = {
  vendor: 'Google Inc. (Intel)',
  renderer: 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 630 (CFL GT2), OpenGL 4.6)',
};

/** What the HTML standard has every browser with a PDF viewer say. */
const PLUGINS: PdfPlugins = {
  names: ['PDF Viewer', 'Chrome PDF Viewer', 'Chromium PDF Viewer', 'Microsoft Edge PDF Viewer', 'WebKit built-in PDF'],
  types: ['application/pdf', 'text/pdf'],
  filename: 'internal-pdf-viewer',
  suffixes: 'pdf',
  description: 'Portable Document Format',
};

/**
 * What runs in every document and worker before its first script, as source text. Notifications come before the chrome object,
 * whose absence tells a headless shell.
 */
export const earlyScript = `(() => {
'use strict';
const mask = (${createMask.toString()})();
(${quietConsole.toString()})(mask);
(${nameGraphics.toString()})(mask, ${JSON.stringify(GRAPHICS)});
if (!('document' in globalThis)) return;
(${openNotifications.toString()})(mask);
(${addChromeObject.toString()})(mask);
(${listPlugins.toString()})(mask, () => (${buildPlugins.toString()})(mask, ${JSON.stringify(PLUGINS)}));
})()`;
