import type { CustomProxy } from '#browsers/index.ts';
import { openRuns } from '#store/runs.ts';
import { openProxy } from './sealed-proxy.ts';
import type { SessionRow } from '#store/sessions.ts';
import type { EngineState } from './parts.ts';
import { runSettingsOf } from './run-settings.ts';
import type { Sandbox } from './sandboxes.ts';

/**
 * The custom proxy that a session's next browser leaves through, or null for none. Throws when its run was given one that went
 * with an earlier process: nobody goes without the proxy that was asked for.
 */
export async function proxyOf(
  { db, vault }: Pick<EngineState, 'db' | 'vault'>,
  session: SessionRow,
  sandbox: Sandbox,
): Promise<CustomProxy | null> {
  if (sandbox.runProxy !== null) return sandbox.runProxy;
  if ((await openRuns(db, session.id)).some((run) => runSettingsOf(run).usesCustomProxy === true))
    throw new Error('the custom proxy of the run went with the process that was given it');
  return openProxy(vault, session.id, session.custom_proxy);
}
