import { storedName } from '../../workspaces/index.ts';

/** What a file is called whose own name has nothing that can be kept. */
const nameless = 'download';
const endingMax = 16;
/** Leaves room for a number within the bytes that names have. */
const stemMax = 100;

/** The name of a download as one path part that is safe on every system. */
export function downloadName(name: string): string {
  return storedName(name) ?? nameless;
}

/** The name with a number before its ending: `price list (1).pdf`. */
export function numberedName(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const cut = dot > 0 && name.length - dot <= endingMax ? dot : name.length;
  const stem = Buffer.byteLength(name) > stemMax ? shortened(name.slice(0, cut)) : name.slice(0, cut);
  return `${stem} (${number})${name.slice(cut)}`;
}

function shortened(stem: string): string {
  let [kept, bytes] = ['', 0];
  for (const character of stem) {
    bytes += Buffer.byteLength(character);
    if (bytes > stemMax) break;
    kept += character;
  }
  return kept;
}
