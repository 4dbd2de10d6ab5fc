import { type Check, type CheckContext, check } from '../../core/check.ts';
import { type Exchange, describeAnswer, refused, succeeded } from '../../core/exchange.ts';
import type { LiveLook } from './scenarios-part-live-look.ts';
import { viewedBrowsers } from './scenarios-part-viewed-browser.ts';
import { framingRefusal } from '../common/checks-part-framing-refusal.ts';

/** The live views of standalone browsers. */
export const liveViewChecks: readonly Check[] = [
  live('LIVE-VIEW-01', (t, { opened }) => {
    if (opened.status === 0) t.notTestable(`the address for watching a browser ${describeAnswer(opened)}`);
    const message = `the address for watching a browser ${describeAnswer(opened)} without a key; expected a page`;
    t.expect(succeeded(opened) && isPage(opened), { exchange: opened, message });
  }),
  live('LIVE-VIEW-02', (t, { opened }) => {
    if (!succeeded(opened)) t.notTestable(`the address for watching a browser ${describeAnswer(opened)}`);
    const refusal = framingRefusal(opened);
    t.expect(refusal === undefined, { exchange: opened, message: `the live view cannot be embedded: ${refusal}` });
  }),
  live('LIVE-VIEW-03', (t, { opened, altered }) => {
    if (altered === undefined)
      return t.notTestable('the path of the address for watching a browser has nothing to guess');
    return elsewhere(t, altered, { opened, what: 'an address for watching that was never handed out' });
  }),
  live('LIVE-VIEW-04', (t, { opened, stopped }) => {
    elsewhere(t, stopped, { opened, what: 'the address for watching a browser that was stopped' });
  }),
];

type Seen = LiveLook & { readonly stopped: Exchange };

function live(id: Check['id'], judge: (t: CheckContext, seen: Seen) => void): Check {
  return check(id, { needs: [viewedBrowsers] }, async (t) => {
    const { labelled, plain } = await t.recording(viewedBrowsers);
    const looks = [labelled, plain].flatMap(({ live: look }) => look ?? []);
    if (looks.length === 0) t.notTestable('no record of an active browser shows an address for watching it');
    for (const look of looks) judge(t, look);
  });
}

/** Whoever has no right is refused, or gets the very page that everybody gets. */
function elsewhere(t: CheckContext, exchange: Exchange, { opened, what }: { opened: Exchange; what: string }): void {
  if (!succeeded(opened) || exchange.status === 0) t.notTestable(`${what} ${describeAnswer(exchange)}`);
  if (succeeded(exchange) && exchange.body === opened.body) t.notTestable('every address gives the same page');
  t.expect(refused(exchange), { exchange, message: `${what} ${describeAnswer(exchange)}; expected a refusal` });
}

function isPage({ headers }: Exchange): boolean {
  return (headers['content-type'] ?? '').startsWith('text/html');
}
