import { describeMutants } from './describe-mutants.ts';
import { browserMutants } from './table/browsers.ts';

describeMutants('servers that create, show and stop browsers wrongly', browserMutants);
