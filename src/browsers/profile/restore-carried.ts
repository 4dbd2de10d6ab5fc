import type { JsonObject } from '#lib/json.ts';
import type { HostLog } from '../host-log.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import type { CarriedState, PermissionCommand } from './carried-state.ts';
import { cookieParam } from './cookie-param.ts';

/**
 * Gives a browser what its user data do not hold. What this Chromium does not take, and an earlier one did, is left out and
 * logged: the rest of the profile is not lost for it. Answers the permissions that were taken. Rejects when the browser has gone.
 */
export async function restoreCarried(
  mux: CdpMux,
  { cookies, permissions }: CarriedState,
  log: HostLog,
): Promise<PermissionCommand[]> {
  const params = cookies.map(cookieParam);
  if (params.length > 0 && !(await isTaken(mux, 'Storage.setCookies', { cookies: params })))
    for (const cookie of params) {
      // One that is not taken speaks against all of them in one command.
      const taken = await isTaken(mux, 'Storage.setCookies', { cookies: [cookie] });
      if (!taken) log.warn({ domain: cookie['domain'] }, 'a cookie of a profile was not taken');
    }
  const given: PermissionCommand[] = [];
  for (const permission of permissions) {
    if (await isTaken(mux, permission.method, permission.params)) given.push(permission);
    else log.warn({ method: permission.method }, 'a permission of a profile was not taken');
  }
  return given;
}

/** Whether a command succeeds; rejects when the browser has gone, and nothing can be said. */
async function isTaken(mux: CdpMux, method: string, params: JsonObject): Promise<boolean> {
  try {
    await mux.command(method, params);
    return true;
  } catch (error) {
    await mux.command('Browser.getVersion');
    if (!(error instanceof Error)) throw error;
    return false;
  }
}
