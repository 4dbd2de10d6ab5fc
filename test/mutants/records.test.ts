import { describeMutants } from './describe-mutants.ts';
import { recordMutants } from './table/records.ts';

describeMutants('servers whose session record is wrong in one member', recordMutants);
