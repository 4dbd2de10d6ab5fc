import { describeMutants } from './describe-mutants.ts';
import { interfaceMutants } from './table/interface.ts';

describeMutants('servers that differ in what holds for every operation', interfaceMutants);
