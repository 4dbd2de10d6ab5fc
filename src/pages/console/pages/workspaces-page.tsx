import type { JSX } from 'preact';
import { Split } from '../parts/split.tsx';
import type { Place } from '../place.ts';
import { NewWorkspace } from '../workspaces/new-workspace.tsx';
import { WorkspaceList } from '../workspaces/workspace-list.tsx';
import { WorkspaceView } from './workspace-view.tsx';

/** Workspaces, which hold files beyond the sessions that use them. */
export function WorkspacesPage({ id }: Place): JSX.Element {
  return (
    <Split page="workspaces" isChosen={id !== null} list={<WorkspaceList chosen={id} />}>
      {id === null || id === 'new' ? <NewWorkspace /> : <WorkspaceView key={id} id={id} />}
    </Split>
  );
}
