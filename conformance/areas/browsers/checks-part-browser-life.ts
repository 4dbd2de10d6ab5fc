import { type Check, check } from '../../core/check.ts';
import { emptiedBrowser } from './scenarios-part-emptied-browser.ts';
import { deadlinePassed } from '../common/target-facts.ts';

/** What a browser lives through. */
export const browserLifeChecks: readonly Check[] = [
  check('BROWSER-LIFE-01', { needs: [emptiedBrowser] }, async (t) => {
    const { created, seen } = await t.recording(emptiedBrowser);
    if ('unable' in seen) return t.notTestable(seen.unable);
    const held = 'pages' in seen && seen.pages > 0;
    if (!held) deadlinePassed(t, 'settleDeadlineMs');
    const found = 'fault' in seen ? `could not connect again: ${seen.fault}` : 'found no page';
    const message = `whoever connected after the last page of the browser had been closed ${found}; expected a page`;
    return t.expect(held, { exchange: created, message });
  }),
];
