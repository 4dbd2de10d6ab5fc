import { describeMutants } from './describe-mutants.ts';
import { textMutants } from './table/texts.ts';

describeMutants('servers whose refusals read wrongly', textMutants);
