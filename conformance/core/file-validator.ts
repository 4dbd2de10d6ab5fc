import { validatorRuntime } from './validator-runtime.ts';

/** The validator of a generated module that judges one kind of file. */
export function fileValidator<Validate>(
  create: (runtime: typeof validatorRuntime) => Readonly<Record<string, Validate>>,
): Validate {
  const { file } = create(validatorRuntime);
  if (file === undefined) throw new Error('generated/validators: expected a validator of the name "file"');
  return file;
}
