import { describeMutants } from './describe-mutants.ts';
import { liveViewMutants } from './table/live-views.ts';

describeMutants('servers whose live views are wrong', liveViewMutants);
