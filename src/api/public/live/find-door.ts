import { endStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { LiveDoor } from '#browsers/index.ts';
import type { Engine } from '#sessions/create-engine.ts';
import type { Owners } from '#cluster/index.ts';
import type { AccessTokens } from '#lib/vault.ts';
import type { StandaloneBrowsers } from '#sessions/standalone/index.ts';
import type { Database } from '#store/database.ts';
import { type LivePlace, livePlaceOf } from '#store/queries/access-tokens.ts';

/** What live views are made of. */
export interface LiveParts {
  readonly db: Database;
  readonly tokens: Pick<AccessTokens, 'read'>;
  readonly engine: Pick<Engine, 'watch'>;
  readonly browsers: Pick<StandaloneBrowsers, 'watch'>;
  readonly rules: RuleBook;
  readonly owners: Pick<Owners, 'isElsewhere'>;
}

/** What a token opens; null for an unknown one, and when its session or browser has ended for good. */
export async function findDoor(
  { db, tokens, engine, browsers, rules }: LiveParts,
  token: string,
): Promise<LiveDoor | null> {
  const place = await livePlaceOf(db, token);
  if (place === null || hasEnded(place, rules)) return null;
  const { kind, id, right } = place;
  return {
    key: id,
    kind,
    mode: right === 'control' ? 'interactive' : 'view',
    viewOnlyPath: right === 'control' ? `/live/${tokens.read(place, 'view')}` : null,
    // In a session the agent works, and a dialog that waits for a viewer would hold it up.
    answersDialogs: right === 'control' && kind === 'browser',
    watch: (viewer) =>
      kind === 'browser' ? browsers.watch(id, viewer) : engine.watch(id, { viewer, isShare: right === 'share' }),
  };
}

function hasEnded({ kind, status }: LivePlace, { lifecycle }: RuleBook): boolean {
  return kind === 'browser' ? status !== 'active' : endStates(lifecycle, 'session').includes(status);
}
