import { describeMutants } from './describe-mutants.ts';
import { laterTaskMutants } from './table/later-tasks.ts';

describeMutants('servers that are wrong in a later task', laterTaskMutants);
