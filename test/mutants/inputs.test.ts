import { describeMutants } from './describe-mutants.ts';
import { inputMutants } from './table/inputs.ts';

describeMutants('servers that take what they have to refuse', inputMutants);
