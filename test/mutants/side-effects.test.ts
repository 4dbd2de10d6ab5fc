import { describeMutants } from './describe-mutants.ts';
import { sideEffectMutants } from './table/side-effects.ts';

describeMutants('servers that refuse and act all the same', sideEffectMutants);
