import { describeMutants } from './describe-mutants.ts';
import { refusalMutants } from './table/refusals.ts';

describeMutants('servers that refuse the plainest request only', refusalMutants);
