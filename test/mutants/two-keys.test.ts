import { describeMutants } from './describe-mutants.ts';
import { twoKeysMutants } from './table/two-keys.ts';

describeMutants('servers in which one operation reaches another project', twoKeysMutants);
