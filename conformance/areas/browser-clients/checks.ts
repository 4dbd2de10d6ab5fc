import { type Check, type CheckContext, check } from '../../core/check.ts';
import { describeAnswer, succeeded } from '../../core/exchange.ts';
import { NotTestable } from '../../core/outcome.ts';
import {
  downloadedFile,
  guardedBrowser,
  type GuardedBrowser,
  largeText,
  type PageDownload,
  findDownload,
} from './scenarios.ts';
import { show } from '../../core/text.ts';
import { settleWait } from '../../common/target-facts.ts';

/**
 * Checks of the CDP URL of a standalone browser: connections, discovery, isolation from the next browser, and
 * downloads.
 */
export const browserClientChecks: readonly Check[] = [
  check('BROWSER-CDP-01', { needs: [guardedBrowser] }, async (t) => {
    const { created, unknown } = await guarded(t);
    if (unknown === undefined) t.notTestable('the CDP address carries no word that is long enough to be changed');
    const message = 'a URL that the target has not issued gives a working browser; expected no connection';
    t.expect(unknown === false, { exchange: created, member: '/cdpUrl', message });
  }),
  check('BROWSER-CDP-02', { needs: [guardedBrowser] }, async (t) => {
    const { exchange, works } = (await offered(t)).live;
    const named = works === undefined ? 'names no webSocketDebuggerUrl' : 'names a URL to which no client can connect';
    t.expect(works === true, {
      exchange,
      message: `discovery ${describeAnswer(exchange)} and ${named}; expected a URL that clients can connect to`,
    });
  }),
  check('BROWSER-CDP-03', { needs: [guardedBrowser] }, async (t) => {
    const { unknown, stopped } = await offered(t);
    const looks = [
      ['below a URL that the target has not issued', unknown],
      ['after the stop', stopped],
    ] as const;
    for (const [where, look] of looks) {
      if (look === undefined) continue;
      const message = `discovery ${where} ${describeAnswer(look.exchange)} and names a working address; expected none${settleWait(t)}`;
      t.expect(look.works !== true, { exchange: look.exchange, member: '/webSocketDebuggerUrl', message });
    }
  }),
  check('BROWSER-CDP-04', { needs: [guardedBrowser] }, async (t) => {
    const { created, next } = await guarded(t);
    if ('fault' in next) throw new NotTestable(`no client could use the next browser: ${next.fault}`);
    const message = `a new browser shows the page of the previous browser, which kept ${show(next.kept ?? null)}; expected no page of another browser`;
    t.expect(next.kept === undefined, { exchange: created, message });
  }),
  check('BROWSER-CDP-05', { needs: [guardedBrowser] }, async (t) => {
    const { created, large } = await guarded(t);
    const came = 'fault' in large ? large.fault : `${large.length} characters came back`;
    const message = `a text of ${largeText} characters was sent to a page and read again: ${came}; expected all of them`;
    t.expect('length' in large && large.length === largeText, { exchange: created, message });
  }),
  check('BROWSER-CDP-06', { needs: [guardedBrowser] }, async (t) => {
    const { row, lists } = await downloaded(t);
    const { name, text } = downloadedFile;
    const found = row === undefined ? 'is not in the list' : `is listed with size ${show(row['size'] ?? null)}`;
    const message = `a file ${name} of ${text.length} bytes that a page has downloaded ${found}; the list ${describeAnswer(lists.withUrls)}; expected the file with its size${settleWait(t)}`;
    t.expect(row?.['size'] === text.length, { exchange: lists.withUrls, member: '/files', message });
  }),
  check('BROWSER-CDP-07', { needs: [guardedBrowser] }, async (t) => {
    const { row, lists, bytes } = await downloaded(t);
    if (row === undefined) t.notTestable('the list shows no download');
    const { withUrls, plain } = lists;
    const given = bytes === undefined ? 'the row has no URL' : `it ${describeAnswer(bytes)}: ${show(bytes.body)}`;
    t.expect(bytes !== undefined && succeeded(bytes) && bytes.body === downloadedFile.text, {
      exchange: bytes ?? withUrls,
      message: `the address of a download was asked for and opened: ${given}; expected the text that the page has downloaded`,
    });
    const unasked = findDownload(plain)?.['url'] ?? null;
    const message = `a list of downloads shows the address ${show(unasked)} without includeUrls; expected none`;
    t.expect(unasked === null, { exchange: plain, member: '/files', message });
  }),
  check('BROWSER-CDP-08', { needs: [guardedBrowser] }, async (t) => {
    const { mark, live, stopped } = (await guarded(t)).pages;
    if (!Array.isArray(live.json)) t.notTestable(`discovery at /json/list ${describeAnswer(live)}`);
    const message = `the list of pages does not show the open page, whose URL ends in ${mark}: ${live.body}; expected the page`;
    t.expect(live.body.includes(mark), { exchange: live, message });
    const after = `the list of pages of a browser that was stopped shows what was open in it: ${stopped.body}; expected no page of it`;
    t.expect(!stopped.body.includes(mark), { exchange: stopped, message: after });
  }),
];

type SeenClients = NonNullable<GuardedBrowser['seen']>;

async function guarded(t: CheckContext): Promise<SeenClients & Pick<GuardedBrowser, 'created'>> {
  const { created, seen } = await t.recording(guardedBrowser);
  return seen === undefined ? t.notTestable('no client could use a new browser') : { created, ...seen };
}

async function offered(t: CheckContext): Promise<SeenClients['discovery']> {
  const { discovery } = await guarded(t);
  const { exchange } = discovery.live;
  if (!succeeded(exchange)) t.notTestable(`discovery at /json/version ${describeAnswer(exchange)}`);
  return discovery;
}

async function downloaded(t: CheckContext): Promise<PageDownload> {
  const { download } = await guarded(t);
  return typeof download === 'string' ? t.notTestable(download) : download;
}
