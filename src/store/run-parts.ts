import type { Database } from './database.ts';
import { prepareRead } from './prepare-read.ts';
import type { RunRow } from './runs.ts';

/** What the engine asks of a run while it works on it; each throws where there is no such run. */

/** Where it stands. */
export async function statusOfRun(db: Database, id: string): Promise<RunRow['status']> {
  return found(id, await status(db, id)).status;
}

const status = prepareRead((db, id) => db.selectFrom('runs').select('status').where('id', '=', id));

/** When it has ended, in milliseconds since the epoch; null as long as it has not. */
export async function endOfRun(db: Database, id: string): Promise<number | null> {
  return found(id, await end(db, id)).ended_at;
}

const end = prepareRead((db, id) => db.selectFrom('runs').select('ended_at').where('id', '=', id));

/** Its secrets as they are sealed; null for none. */
export async function sealedSecretsOf(db: Database, id: string): Promise<string | null> {
  return found(id, await secrets(db, id)).secrets;
}

const secrets = prepareRead((db, id) => db.selectFrom('runs').select('secrets').where('id', '=', id));

/** Who is to work on it, and how. */
export async function orderOf(db: Database, id: string): Promise<Pick<RunRow, 'model' | 'model_params' | 'settings'>> {
  return found(id, await order(db, id));
}

const order = prepareRead((db, id) =>
  db.selectFrom('runs').select(['model', 'model_params', 'settings']).where('id', '=', id),
);

function found<Row>(id: string, [row]: readonly Row[]): Row {
  if (row === undefined) throw new Error(`there is no run ${id}`);
  return row;
}
