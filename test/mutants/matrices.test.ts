import { describeMutants } from './describe-mutants.ts';
import { matrixMutants } from './table/matrices.ts';

describeMutants('servers with one flipped cell', matrixMutants);
