import { describeMutants } from './describe-mutants.ts';
import { lifecycleMutants } from './table/lifecycle.ts';

describeMutants('servers whose sessions take wrong steps', lifecycleMutants);
