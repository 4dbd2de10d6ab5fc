import { describeMutants } from './describe-mutants.ts';
import { answerMutants } from './table/answers.ts';

describeMutants('servers whose answers differ from the documents', answerMutants);
