import { type Check, check } from '../../core/check.ts';
import { memberAt } from '../../core/json.ts';
import { createRandom, randomUuid } from '../../core/random.ts';
import { viewedBrowsers } from './scenarios-part-viewed-browser.ts';
import { show } from '../common/session-records.ts';
import { required } from '../common/checks-part-required.ts';
import { wrongProxies } from '../v4-runs/checks-part-run-desk.ts';
import { judged } from '../common/checks-part-seen.ts';
import { notFound } from '../v2-sessions/checks.ts';
import { accepts, looksLikeForm } from '../v2-files/checks.ts';

/** Standalone browsers of agent sessions, their downloads, and files for them. */
export const browserFilterChecks: readonly Check[] = [
  check('BROWSER-VIEW-13', { needs: [viewedBrowsers] }, async (t) => {
    const exchange = (await t.recording(viewedBrowsers)).ofSession;
    judged(t, exchange, 'the list of the browsers of an agent session').status(200);
    judged(t, exchange, 'the list of the browsers of an agent session that does not exist').member('items', []);
  }),
  check('BROWSER-VIEW-14', { needs: [viewedBrowsers] }, async (t) => {
    const { labelled, plain } = await t.recording(viewedBrowsers);
    for (const { downloads } of [labelled, plain]) {
      for (const exchange of [downloads.active, downloads.stopped]) {
        judged(t, exchange, 'the downloads of a browser').status(200);
        judged(t, exchange, 'the downloads of a browser that has downloaded nothing').member('files', []);
        const more = memberAt(exchange.json, 'hasMore') ?? false;
        t.expect(more === false, { exchange, message: `an empty list of downloads says hasMore ${show(more)}` });
      }
    }
  }),
  check('BROWSER-VIEW-15', { needs: [viewedBrowsers] }, async (t) => {
    const { wrongLimits } = await t.recording(viewedBrowsers);
    for (const exchange of wrongLimits) judged(t, exchange, 'downloads with a limit of 0 or 101').status(422);
    const path = [randomUuid(createRandom(t.seed))];
    notFound(t, await t.operations.call('v4.listBrowserDownloads', { path }), 'Session not found');
  }),
  check('BROWSER-VIEW-16', {}, async (t) => {
    for (const customProxy of wrongProxies) {
      const exchange = await t.operations.probe('browser', 'v4.createBrowser', { body: { customProxy } });
      judged(t, exchange, `a browser with the proxy ${show(customProxy)}`).status(422);
    }
  }),
  check('BROWSER-VIEW-17', { needs: [viewedBrowsers] }, async (t) => {
    const reason = 'this target does not offer v2.createBrowserUpload (target file)';
    const upload = required(t, (await t.recording(viewedBrowsers)).upload, reason);
    looksLikeForm(t, upload.form.asked);
    accepts(t, upload.stored);
    judged(t, upload.unknown, 'a form for a browser that does not exist').status(404);
  }),
];
