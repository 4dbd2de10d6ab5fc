import { describeMutants } from './describe-mutants.ts';
import { runTextMutants } from './table/run-texts.ts';

describeMutants('servers whose refusals of modelParams read wrongly', runTextMutants);
