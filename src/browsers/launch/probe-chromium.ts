import { readVersion } from '../stealth/read-version.ts';
import { type ChooseOptions, type ChosenAccount, chooseChromiumAccount } from './choose-chromium-account.ts';

/** What a machine makes of a Chromium: the same for every browser, until one of the two changes. */
export interface ProbedChromium extends ChosenAccount {
  /** What it answers to `--version`. */
  readonly version: string;
}

/** Finds it out by starting Chromium twice; rejects when it does not start. */
export async function probeChromium(options: ChooseOptions): Promise<ProbedChromium> {
  const chosen = await chooseChromiumAccount(options);
  return { ...chosen, version: await readVersion(options.binary) };
}
