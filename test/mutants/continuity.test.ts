import { describeMutants } from './describe-mutants.ts';
import { continuityMutants } from './table/continuity.ts';

describeMutants('servers whose sessions lose or gain what no request has named', continuityMutants);
