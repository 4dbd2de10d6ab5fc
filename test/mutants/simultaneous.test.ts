import { describeMutants } from './describe-mutants.ts';
import { simultaneousMutants } from './table/simultaneous.ts';

describeMutants('servers that are wrong while several jobs work', simultaneousMutants);
