import { cdpPolicy } from '#generated/rules.ts';
import { page, table } from './markdown.ts';

/** What a client of a DevTools address may ask for. */
export function browsersPage(): string {
  const { domains, addresses, methods } = cdpPolicy;
  const rows = methods.map((row) => [
    `\`${row.method}\``,
    row.action,
    'members' in row ? row.members.map((member) => `\`${member}\``).join(', ') : '',
    'min' in row ? `${row.min} to ${row.max}` : '',
    row.why,
  ]);
  return page(
    'What a client of a browser may ask for',
    'From `spec/rules/cdp-policy.yaml`; applied to every message of every client, whatever session it is for. `answer`: `{}` at once, and this client is detached. `refuse`: an error that says why. `drop`: the members are left out. `folder`: the members become the downloads folder of the browser. `address`: the members have to be addresses of an open scheme. `empty`: the members have to be absent or empty. `uploads`: the last part of each path has to be the name of a file that was uploaded to this browser. `resize`: refused unless the browser was created with allowResizing. `range`: the members have to be absent or numbers of the range. A method with several rows has to pass them all.',
    `Open schemes: ${addresses.schemes.join(', ')}; besides them ${addresses.exact.join(', ')}.`,
    table(['Method', 'Action', 'Members', 'Range', 'Why'], rows),
    `Every other method is passed on when its domain is open: ${domains.open.join(', ')}.`,
    "Not there yet over a remote address: Playwright's `download.saveAs()` and `download.path()`, because the files lie with the service (GET /browsers/{id}/downloads lists them with addresses).",
  );
}
