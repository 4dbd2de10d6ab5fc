import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

// Required, because who imports CommonJS disagrees on what its default is.
const equal: { default: unknown } = require('ajv/dist/runtime/equal.js');
const textLength: { default: unknown } = require('ajv/dist/runtime/ucs2length.js');
const formats: { fullFormats: unknown } = require('ajv-formats/dist/formats.js');

/** What generated validators call: three files of ajv, without its compiler. */
export const validatorRuntime = { equal: equal.default, textLength: textLength.default, formats: formats.fullFormats };
