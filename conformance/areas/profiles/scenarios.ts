import { tryCredentials } from '../../common/credentials.ts';
import { draw, everyUnusualWord, unusualText } from '../../properties/arbitraries/index.ts';
import { type Exchange, succeeded } from '../../core/exchange.ts';
import { identifier, memberAt } from '../../core/json.ts';
import { type OperationKey, notOffered } from '../../core/operations.ts';
import type { ScenarioContext, Scenario } from '../../core/scenario.ts';
import { type Generation, type Target, generations } from '../../core/target.ts';
import { createText, uniqueText } from '../../core/text.ts';
import { settleAll } from '../../core/outcome.ts';

/** Maximum lengths in characters of profile names, user ids and search queries. */
const profileBounds = { name: 100, userId: 255, query: 200 };

/** Answers to all operations on the profiles of one generation. */
export interface ProfileLife {
  generation: Generation;
  /**
   * Answer to the creation of a profile without a body; `listed` is the first page of up to 100 profiles after this
   * creation.
   */
  bare: Exchange;
  listed: Exchange;
  /** Answer to the creation of a profile with a name and a user id; `fetched` is the fetch of this profile. */
  named: Exchange;
  fetched: Exchange;
  name: string;
  userId: string;
  /** Fetch of the profile of `named` in each generation that the target offers. */
  elsewhere: Exchange[];
  /** Answers to updates: `renamed` with a new name, `unchanged` with an empty body, `cleared` with null as the name. */
  renamed: Exchange;
  unchanged: Exchange;
  cleared: Exchange;
  /**
   * Answer to the creation of a profile with a name and a user id of the maximum lengths; `tooLong` holds the answers
   * to creations and updates with one character more.
   */
  longest: Exchange;
  tooLong: Exchange[];
  searches: ProfileSearches;
  /**
   * Responses to two deletions of one profile. Afterwards, `gone` holds the responses to a fetch and an update, and
   * `goneSearch` to a search.
   */
  deletions: Exchange[];
  gone: Exchange[];
  goneSearch: Exchange;
}

/** Searches for three profiles that share a unique word in their names or user ids. */
export interface ProfileSearches {
  ids: string[];
  byName: Exchange;
  byUser: Exchange;
  byNothing: Exchange;
  /** Pages 1 and 2 with two items each, and then one page of the default size. */
  pages: Exchange[];
  outOfBounds: Exchange[];
}

/** Creates profiles of each generation, updates and deletes them. Records every answer. */
export const profileLives: Scenario<ProfileLife[]> = {
  name: 'profiles',
  creates: 'five profiles in each generation, which are deleted again',
  spend: 'storage',
  dispatches: 0,
  stateful: true,
  unavailable: (target) => (offering(target).length === 0 ? notOffered(target, profileKeys('v3')) : undefined),
  run: (context) => settleAll(offering(context.target).map((generation) => live(context, generation))),
};

function profileKeys(generation: Generation): OperationKey[] {
  return [
    `${generation}.createProfile`,
    `${generation}.getProfile`,
    `${generation}.updateProfile`,
    `${generation}.listProfiles`,
    `${generation}.deleteProfile`,
  ];
}

function offering(target: Target): Generation[] {
  return generations.filter((generation) => notOffered(target, profileKeys(generation)) === undefined);
}

async function live(context: ScenarioContext, generation: Generation): Promise<ProfileLife> {
  const { operations, seed, target } = context;
  const name = `${uniqueText(context, `profile ${generation}`)} ${draw(unusualText(), { seed, purpose: generation })}`;
  const userId = `${uniqueText(context, generation)} ${draw(everyUnusualWord(), { seed, purpose: generation })}`;
  const bare = await operations.create('profile', `${generation}.createProfile`);
  const listed = await operations.call(`${generation}.listProfiles`, { query: { pageSize: 100 } });
  const named = await operations.create('profile', `${generation}.createProfile`, { body: { name, userId } });
  const path = [readId(named)];
  const fetched = await operations.call(`${generation}.getProfile`, { path });
  const elsewhere = await settleAll(offering(target).map((other) => operations.call(`${other}.getProfile`, { path })));
  const renamed = await operations.call(`${generation}.updateProfile`, { path, body: { name: `${name} new` } });
  const unchanged = await operations.call(`${generation}.updateProfile`, { path, body: {} });
  const cleared = await operations.call(`${generation}.updateProfile`, { path, body: { name: null } });
  const bounds = await tryBounds(context, generation, path);
  const searches = await search(context, generation);
  return {
    generation,
    bare,
    listed,
    named,
    fetched,
    name,
    userId,
    elsewhere,
    renamed,
    unchanged,
    cleared,
    searches,
    ...bounds,
    ...(await end(context, generation, { path, userId })),
  };
}

async function tryBounds(
  { operations }: ScenarioContext,
  generation: Generation,
  path: string[],
): Promise<Pick<ProfileLife, 'longest' | 'tooLong'>> {
  const { name, userId } = profileBounds;
  const body = { name: createText(name), userId: createText(userId) };
  const longest = await operations.create('profile', `${generation}.createProfile`, { body });
  const wrong = [{ name: createText(name + 1) }, { userId: createText(userId + 1) }];
  const probes = wrong.flatMap((bad) => [
    operations.probe('profile', `${generation}.createProfile`, { body: bad }),
    operations.call(`${generation}.updateProfile`, { path, body: bad, invalid: true }),
  ]);
  return { longest, tooLong: await settleAll(probes) };
}

async function search(context: ScenarioContext, generation: Generation): Promise<ProfileSearches> {
  const { operations } = context;
  const word = uniqueText(context, `search ${generation}`);
  const bodies = [{ name: `${word} 1` }, { name: 'svc-check', userId: `a ${word} 2` }, { name: `3 ${word}` }];
  const ids: string[] = [];
  for (const body of bodies) {
    ids.push(readId(await operations.create('profile', `${generation}.createProfile`, { body })));
  }
  const list = (query: Record<string, string | number>, invalid = false): Promise<Exchange> =>
    operations.call(`${generation}.listProfiles`, { query, invalid });
  return {
    ids,
    byName: await list({ query: `${word} 1` }),
    byUser: await list({ query: `${word} 2` }),
    byNothing: await list({ query: `${word} 4` }),
    pages: [
      await list({ query: word, pageSize: 2 }),
      await list({ query: word, pageSize: 2, pageNumber: 2 }),
      await list({ query: word }),
    ],
    outOfBounds: [
      await list({ pageSize: 0 }, true),
      await list({ pageSize: 101 }, true),
      await list({ pageSize: 'ten' }, true),
      await list({ pageNumber: 0 }, true),
      await list({ query: createText(profileBounds.query + 1) }, true),
    ],
  };
}

async function end(
  context: ScenarioContext,
  generation: Generation,
  { path, userId }: { path: string[]; userId: string },
): Promise<Pick<ProfileLife, 'deletions' | 'gone' | 'goneSearch'>> {
  const { operations } = context;
  await tryCredentials(context, [
    operations.request(`${generation}.updateProfile`, { path, body: { name: 'svc-check' } }),
    operations.request(`${generation}.deleteProfile`, { path }),
  ]);
  const remove = (): Promise<Exchange> => operations.call(`${generation}.deleteProfile`, { path });
  return {
    deletions: [await remove(), await remove()],
    gone: [
      await operations.call(`${generation}.getProfile`, { path }),
      await operations.call(`${generation}.updateProfile`, { path, body: { name: 'renamed' } }),
    ],
    goneSearch: await operations.call(`${generation}.listProfiles`, { query: { query: userId } }),
  };
}

/**
 * Returns the id of a created profile. Without an id in the answer, returns a placeholder, so that the following
 * requests are refused.
 */
function readId(exchange: Exchange): string {
  return (succeeded(exchange) ? identifier(memberAt(exchange.json, 'id')) : undefined) ?? 'unknown';
}
