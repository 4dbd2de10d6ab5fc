import { describeMutants } from './describe-mutants.ts';
import { browserClientMutants } from './table/browser-clients.ts';

describeMutants('servers whose browsers end when they must not, or turn clients away', browserClientMutants);
