import { describeMutants } from './describe-mutants.ts';
import { sessionMemberMutants } from './table/session-members.ts';

describeMutants('servers that are wrong in a member that few sessions show', sessionMemberMutants);
