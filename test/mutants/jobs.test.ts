import { describeMutants } from './describe-mutants.ts';
import { jobMutants } from './table/jobs.ts';

describeMutants('servers whose tasks and runs are wrong', jobMutants);
