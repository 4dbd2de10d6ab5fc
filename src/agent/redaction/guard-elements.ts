import type { TabElements } from '#browsers/tab/tab.ts';
import { typeWith } from './fill-in.ts';
import { withValues } from './placeholder.ts';
import { safelyBy } from './safe-error.ts';
import type { TabGuard } from './tab-guard.ts';
import { uncut } from './uncut.ts';

/** As much of an element's text as a tab gives. */
const TEXT_MAX = 100_000;

/** Elements that take values in place of their placeholders, and show placeholders in place of values. */
export function guardElements(elements: TabElements, guard: TabGuard): TabElements {
  const { redactor, secrets } = guard;
  const safely = safelyBy(redactor);
  return {
    click: (ref, count) => safely(() => elements.click(ref, count)),
    hover: (ref) => safely(() => elements.hover(ref)),
    type: (ref, wanted) =>
      safely(() => typeWith(guard, wanted, (value, isPlace) => elements.type(ref, value, isPlace))),
    // What a list offers stands in its page already.
    select: (ref, options) =>
      safely(() =>
        elements.select(
          ref,
          options.map((option) => withValues(option, secrets)),
        ),
      ),
    check: (ref, isChecked) => safely(() => elements.check(ref, isChecked)),
    press: (ref, key) => safely(() => elements.press(ref, key)),
    scroll: (ref, direction, pages) => safely(() => elements.scroll(ref, direction, pages)),
    text: async (ref) => uncut(await safely(() => elements.text(ref)), TEXT_MAX, redactor),
    upload: (ref, file) => safely(() => elements.upload(ref, file)),
    download: async (ref) => redactor.text(await safely(() => elements.download(ref))),
  };
}
