import { describeMutants } from './describe-mutants.ts';
import { tokenMutants } from './table/tokens.ts';

describeMutants('servers whose texts differ in one token', tokenMutants);
