import { describeMutants } from './describe-mutants.ts';
import { requestRateMutants } from './table/request-rates.ts';

describeMutants('servers that say wrong things of request rates', requestRateMutants);
