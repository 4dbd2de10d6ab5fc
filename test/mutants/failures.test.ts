import { describeMutants } from './describe-mutants.ts';
import { failureMutants } from './table/failures.ts';

describeMutants('servers on which an operation never works', failureMutants);
