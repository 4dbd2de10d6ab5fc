import { MissingPackage } from '#contract/load-optional.ts';
import { demandPlaywright } from '#browsers/launch/load-playwright.ts';
import type { Finding } from './finding.ts';

const subject = 'packages';

/** Whether the packages are installed that real browsers need besides a Chromium. */
export async function examinePackages(): Promise<Finding> {
  try {
    await demandPlaywright();
    return { ok: true, subject, text: 'those that real browsers need are installed' };
  } catch (error) {
    if (error instanceof MissingPackage) return { ok: false, subject, text: error.message };
    throw error;
  }
}
