import { describeMutants } from './describe-mutants.ts';
import { refusedFollowUpMutants } from './table/refused-follow-ups.ts';

describeMutants('servers that treat follow-ups wrongly', refusedFollowUpMutants);
