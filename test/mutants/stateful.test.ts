import { describeMutants } from './describe-mutants.ts';
import { statefulMutants } from './table/stateful.ts';

describeMutants('life cycles', statefulMutants);
