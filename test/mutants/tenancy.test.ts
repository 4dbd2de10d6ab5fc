import { describeMutants } from './describe-mutants.ts';
import { tenancyMutants } from './table/tenancy.ts';

describeMutants('servers that mix up projects', tenancyMutants);
