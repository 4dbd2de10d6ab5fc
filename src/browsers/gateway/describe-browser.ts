import type { JsonObject } from '#lib/json.ts';
import type { HostedBrowser } from '../host.ts';
import { ask } from './ask.ts';
import { listAnswer, versionAnswer } from './discovery-answers.ts';

/** What Chromium answers to GET /json/version, with the public address as the one to connect to. */
export async function describeBrowser(browser: HostedBrowser, address: string): Promise<JsonObject> {
  return versionAnswer(await ask(browser, 'Browser.getVersion'), address);
}

/** What Chromium answers to GET /json/list, for pages; they are reached through the browser's address. */
export async function describeTargets(browser: HostedBrowser): Promise<JsonObject[]> {
  return listAnswer(await ask(browser, 'Target.getTargets'));
}
