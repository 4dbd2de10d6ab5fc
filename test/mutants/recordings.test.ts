import { describeMutants } from './describe-mutants.ts';
import { recordingMutants } from './table/recordings.ts';

describeMutants('servers whose recordings are wrong', recordingMutants);
