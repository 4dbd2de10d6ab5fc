import { createRequire } from 'node:module';

/** Returns the validator that a module of `generated/validators` exports for one kind of file. */
export function fileValidator<Validate>(
  create: (runtime: typeof validatorRuntime) => Readonly<Record<string, Validate>>,
): Validate {
  const { file } = create(validatorRuntime);
  if (file === undefined) throw new Error('generated/validators: expected a validator of the name "file"');
  return file;
}

const require = createRequire(import.meta.url);

// Loaded with require: bundlers and Node disagree on the default export of CommonJS.
const equal: { default: unknown } = require('ajv/dist/runtime/equal.js');
const textLength: { default: unknown } = require('ajv/dist/runtime/ucs2length.js');
const formats: { fullFormats: unknown } = require('ajv-formats/dist/formats.js');

/** Runtime of the generated validators: three files of ajv, without its compiler. */
export const validatorRuntime = { equal: equal.default, textLength: textLength.default, formats: formats.fullFormats };
