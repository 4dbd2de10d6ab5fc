import { factText, type Facts } from './facts.ts';
import type { Deed, Reading } from './plan.ts';

/** The answer in words: what was to be said or read, or where the work ended when nothing was. */
export function answerText(actions: readonly Deed[], facts: Facts): string {
  const said = actions.flatMap((action) => (action.kind === 'say' ? [action.text] : []));
  const read = [...new Set(actions.flatMap((action) => (action.kind === 'read' ? [action.what] : [])))];
  const [only] = read;
  // A single answer stands for itself; several need their names.
  const readings =
    read.length === 1 && only !== undefined ? [oneReading(only, facts)] : read.map((what) => named(what, facts));
  const parts = [...readings, ...fileTexts(facts), ...said, ...(facts.notes ?? [])];
  if (parts.length > 0) return parts.join('\n');
  return facts.url === undefined
    ? 'Done.'
    : `Done. The page is ${facts.title === undefined || facts.title === '' ? 'untitled' : `"${facts.title}"`} (${facts.url}).`;
}

/** What files hold, and which there are. */
function fileTexts({ file, files }: Facts): string[] {
  const listed = files === undefined ? [] : [files.length === 0 ? 'There are no files.' : files.join('\n')];
  return [...(file === undefined ? [] : [file]), ...listed];
}

function oneReading(what: Reading, facts: Facts): string {
  const text = factText(what, facts);
  return text === '' ? `The page has no ${what}.` : text;
}

function named(what: Reading, facts: Facts): string {
  const text = factText(what, facts);
  const name = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  if (text === '') return `${name}: none`;
  return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`;
}
