import { succeeded } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { type OperationKey, notOffered } from '../../core/operations.ts';
import type { Drive, Scenario } from '../../core/scenario.ts';
import { generations, offeredGenerations } from '../../core/target/target.ts';
import { uniqueText, wordOf } from '../../core/text.ts';
import type { OwnThings } from './foreign-requests.ts';
import { type Shelf, createShelf } from '../workspaces/stored-files.ts';
import { asOther } from './scenarios.ts';
import { type CursorList, type TwoKeys, bookRemoved, pathsIn, tryEverything } from './scenarios-two-keys.ts';
import { deskGenerations } from '../workspaces/scenarios.ts';

const lists: readonly OperationKey[] = ['v2.listProfiles', 'v3.listProfiles', 'v4.listProfiles', 'v3.listWorkspaces'];

/** A profile and a workspace with files that another project tries to reach with every operation. */
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
  drive: (drive) => tryStorage(drive),
};

async function tryStorage(drive: Drive): Promise<TwoKeys> {
  const [generation = 'v3'] = offeredGenerations(drive.target);
  await asOther(drive, generation);
  const profile = await makeProfile(drive);
  const shelf = await makeShelf(drive);
  const things: OwnThings = {
    ids: {
      ...(profile === undefined ? {} : { profile }),
      ...(shelf === undefined ? {} : { workspace: shelf.id }),
    },
    files: shelf === undefined ? {} : await firstFiles(drive, shelf),
  };
  const theirs = shelf === undefined ? undefined : await theirWorkspace(drive);
  const cursors = shelf === undefined || theirs === undefined ? [] : cursorsOf(shelf.id, theirs);
  const tried = await tryEverything(drive, things, { lists, cursors });
  bookRemoved(drive, tried);
  return tried;
}

async function makeProfile(drive: Drive): Promise<string | undefined> {
  const key = (['v3.createProfile', 'v4.createProfile', 'v2.createProfile'] as const).find((name) =>
    drive.operations.offers(name),
  );
  if (key === undefined) return undefined;
  const name = uniqueText(drive, 'profile of one project');
  const made = await drive.operations.create('profile', key, { body: { name, userId: name } });
  return succeeded(made) ? identifier(memberAt(made.json, 'id')) : undefined;
}

async function makeShelf(drive: Drive): Promise<Shelf | undefined> {
  const { operations } = drive;
  const generation = deskGenerations.findLast(
    (name) => operations.offers(`${name}.createWorkspace`) && operations.offers(`${name}.uploadWorkspaceFiles`),
  );
  const shelf = generation === undefined ? undefined : await createShelf(drive, generation);
  const word = wordOf(drive, 'svc-check-');
  await shelf?.store(['a', 'b', 'c'].map((part) => ({ name: `${word}-${part}.txt`, text: word })));
  return shelf;
}

async function firstFiles({ operations }: Drive, shelf: Shelf): Promise<NonNullable<OwnThings['files']>> {
  const files: NonNullable<OwnThings['files']> = {};
  for (const generation of deskGenerations) {
    const key = `${generation}.listWorkspaceFiles` as const;
    const [path] = operations.offers(key) ? pathsIn(await operations.call(key, { path: [shelf.id] })) : [];
    if (path !== undefined) files[generation] = path;
  }
  return files;
}

async function theirWorkspace({ operations, otherApiKey = '' }: Drive): Promise<string | undefined> {
  const key = (['v4.createWorkspace', 'v3.createWorkspace'] as const).find((name) => operations.offers(name));
  if (key === undefined) return undefined;
  const made = await operations.create('workspace', key, { body: {}, key: { other: otherApiKey } });
  return succeeded(made) ? identifier(memberAt(made.json, 'id')) : undefined;
}

/** Lists of files, whose cursors the other project tries on its own workspace. */
export const cursorKeys: readonly OperationKey[] = ['v3.listWorkspaceFiles', 'v4.listWorkspaceFiles'];

function cursorsOf(ours: string, theirs: string): CursorList[] {
  return cursorKeys.map((key) => ({ key, ours: [ours], theirs: [theirs] }));
}
