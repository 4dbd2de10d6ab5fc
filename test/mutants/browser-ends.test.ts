import { describeMutants } from './describe-mutants.ts';
import { browserEndMutants } from './table/browser-ends.ts';

describeMutants('servers that end or bill browsers wrongly, some time later or for some browsers', browserEndMutants);
