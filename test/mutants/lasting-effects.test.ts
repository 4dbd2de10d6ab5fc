import { describeMutants } from './describe-mutants.ts';
import { lastingEffectMutants } from './table/lasting-effects.ts';

describeMutants('servers whose refusals, jobs and browsers have lasting effects', lastingEffectMutants);
