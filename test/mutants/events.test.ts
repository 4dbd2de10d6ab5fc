import { describeMutants } from './describe-mutants.ts';
import { eventMutants } from './table/events.ts';

describeMutants('servers whose events are in disorder', eventMutants);
