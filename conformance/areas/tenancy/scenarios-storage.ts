import { succeeded } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { type OperationKey, notOffered } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { generations, offeredGenerations } from '../../core/target.ts';
import { uniqueText, uniqueWord } from '../../core/text.ts';
import type { OwnResources } from './foreign-requests.ts';
import { type WorkspaceFiles, createWorkspaceFiles, workspaceGenerations } from '../../common/workspace-files.ts';
import { asOther } from './scenarios.ts';
import { type CursorList, type TwoKeys, markRemoved, pathsIn, tryEverything } from './scenarios-two-keys.ts';

const lists: readonly OperationKey[] = ['v2.listProfiles', 'v3.listProfiles', 'v4.listProfiles', 'v3.listWorkspaces'];

/** Creates a profile and a workspace with files; records every operation of another project on them. */
export const twoKeysStorage: Scenario<TwoKeys> = {
  name: 'two-keys-storage',
  creates: 'a profile and a workspace with three small files, and an empty workspace of the other project',
  spend: 'storage',
  dispatches: 0,
  needsOtherKey: true,
  stateful: true,
  unavailable: (target) =>
    generations.every((generation) => notOffered(target, [`${generation}.createProfile`]) !== undefined)
      ? notOffered(target, ['v3.createProfile'])
      : undefined,
  run: (context) => tryStorage(context),
};

async function tryStorage(context: ScenarioContext): Promise<TwoKeys> {
  const [generation = 'v3'] = offeredGenerations(context.target);
  await asOther(context, generation);
  const profile = await makeProfile(context);
  const workspaceFiles = await makeWorkspaceFiles(context);
  const resources: OwnResources = {
    ids: {
      ...(profile === undefined ? {} : { profile }),
      ...(workspaceFiles === undefined ? {} : { workspace: workspaceFiles.id }),
    },
    files: workspaceFiles === undefined ? {} : await firstFiles(context, workspaceFiles),
  };
  const theirs = workspaceFiles === undefined ? undefined : await theirWorkspace(context);
  const cursors = workspaceFiles === undefined || theirs === undefined ? [] : toCursorLists(workspaceFiles.id, theirs);
  const tried = await tryEverything(context, resources, { lists, cursors });
  markRemoved(context, tried);
  return tried;
}

async function makeProfile(context: ScenarioContext): Promise<string | undefined> {
  const key = (['v3.createProfile', 'v4.createProfile', 'v2.createProfile'] as const).find((name) =>
    context.operations.offers(name),
  );
  if (key === undefined) return undefined;
  const name = uniqueText(context, 'profile of one project');
  const made = await context.operations.create('profile', key, { body: { name, userId: name } });
  return succeeded(made) ? identifier(memberAt(made.json, 'id')) : undefined;
}

async function makeWorkspaceFiles(context: ScenarioContext): Promise<WorkspaceFiles | undefined> {
  const { operations } = context;
  const generation = workspaceGenerations.findLast(
    (name) => operations.offers(`${name}.createWorkspace`) && operations.offers(`${name}.uploadWorkspaceFiles`),
  );
  const workspaceFiles = generation === undefined ? undefined : await createWorkspaceFiles(context, generation);
  const word = uniqueWord(context, 'svc-check-');
  await workspaceFiles?.store(['a', 'b', 'c'].map((part) => ({ name: `${word}-${part}.txt`, text: word })));
  return workspaceFiles;
}

async function firstFiles(
  { operations }: ScenarioContext,
  workspaceFiles: WorkspaceFiles,
): Promise<NonNullable<OwnResources['files']>> {
  const files: NonNullable<OwnResources['files']> = {};
  for (const generation of workspaceGenerations) {
    const key = `${generation}.listWorkspaceFiles` as const;
    const [path] = operations.offers(key) ? pathsIn(await operations.call(key, { path: [workspaceFiles.id] })) : [];
    if (path !== undefined) files[generation] = path;
  }
  return files;
}

async function theirWorkspace({ operations, otherApiKey = '' }: ScenarioContext): Promise<string | undefined> {
  const key = (['v4.createWorkspace', 'v3.createWorkspace'] as const).find((name) => operations.offers(name));
  if (key === undefined) return undefined;
  const made = await operations.create('workspace', key, { body: {}, key: { other: otherApiKey } });
  return succeeded(made) ? identifier(memberAt(made.json, 'id')) : undefined;
}

/**
 * Operations that list files. The other project sends the cursors of the owner's list to the list of its own workspace.
 */
export const cursorKeys: readonly OperationKey[] = ['v3.listWorkspaceFiles', 'v4.listWorkspaceFiles'];

function toCursorLists(ours: string, theirs: string): CursorList[] {
  return cursorKeys.map((key) => ({ key, ours: [ours], theirs: [theirs] }));
}
