import type { Mutant } from './mutant.ts';
import { authenticationMutants } from './table/authentication.ts';
import { inputMutants } from './table/inputs.ts';
import { lifecycleMutants } from './table/lifecycle.ts';
import { matrixMutants } from './table/matrices.ts';
import { recordMutants } from './table/records.ts';
import { textMutants } from './table/texts.ts';

/** Every broken server. Ids are permanent. */
export const allMutants: readonly Mutant[] = [
  ...authenticationMutants,
  ...matrixMutants,
  ...textMutants,
  ...lifecycleMutants,
  ...recordMutants,
  ...inputMutants,
];
