import { loadOptional } from '#contract/load-optional.ts';
import type { Finding } from './finding.ts';
import { messageOf } from './message-of.ts';

const subject = 'database';

/** The oldest version that is tested. */
const versionMin = 15;

/** Whether a PostgreSQL database can be used. Changes nothing there; its address is not repeated, because it may hold a password. */
export async function examineDatabase(address: string): Promise<Finding> {
  try {
    const { databaseVersion } = await loadOptional('database', () => import('#store/postgres/index.ts'));
    const version = await databaseVersion(address);
    const ok = version >= versionMin;
    return { ok, subject, text: `PostgreSQL ${version}${ok ? '' : `, expected at least ${versionMin}`}` };
  } catch (error) {
    return { ok: false, subject, text: messageOf(error) };
  }
}
