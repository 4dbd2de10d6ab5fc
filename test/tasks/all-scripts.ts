import type { Script } from './hand.ts';
import { calendarScripts } from './scripts/calendar.ts';
import { feedScripts } from './scripts/feed.ts';
import { filesScripts } from './scripts/files.ts';
import { formsScripts } from './scripts/forms.ts';
import { forumScripts } from './scripts/forum.ts';
import { framesScripts } from './scripts/frames.ts';
import { loginScripts } from './scripts/login.ts';
import { mailScripts } from './scripts/mail.ts';
import { reportsScripts } from './scripts/reports.ts';
import { shadowScripts } from './scripts/shadow.ts';
import { shopScripts } from './scripts/shop.ts';
import { slowScripts } from './scripts/slow.ts';
import { wikiScripts } from './scripts/wiki.ts';
import { wizardScripts } from './scripts/wizard.ts';

/** Scripts of a model that solves each task, by task id. */
export const allScripts: Readonly<Record<string, Script>> = {
  ...calendarScripts,
  ...feedScripts,
  ...filesScripts,
  ...formsScripts,
  ...forumScripts,
  ...framesScripts,
  ...loginScripts,
  ...mailScripts,
  ...reportsScripts,
  ...shadowScripts,
  ...shopScripts,
  ...slowScripts,
  ...wikiScripts,
  ...wizardScripts,
};
