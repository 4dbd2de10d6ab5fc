import type { Workspace } from '../api/types.ts';
import { minute } from '../format.ts';

/** Returns the name of a workspace; one without a name is called by the time at which it was made. */
export function workspaceName(workspace: {
  readonly name?: Workspace['name'] | undefined;
  readonly createdAt: string;
}): string {
  const { name, createdAt } = workspace;
  return name ? name : `Workspace of ${minute(createdAt)}`;
}
