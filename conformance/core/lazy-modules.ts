import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Packages that few runs need, loaded at first use. Together they have about a hundred modules, which would slow every
 * start.
 */
export const lazyModules = {
  schemas: (): typeof import('ajv/dist/2020.js') => require('ajv/dist/2020.js'),
  yaml: (): typeof import('yaml') => require('yaml'),
  webSocket: (): typeof import('ws') => require('ws'),
  xmlBuilder: (): typeof import('fast-xml-builder') => require('fast-xml-builder'),
};
