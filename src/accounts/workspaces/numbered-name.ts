const endingMax = 16;
/** Leaves room for a number within the bytes that names have. */
const stemMax = 100;

/** A name with a number before its ending: `price list (1).pdf`. A long one is shortened, so that it stays a name that files have. */
export function numberedName(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const cut = dot > 0 && name.length - dot <= endingMax ? dot : name.length;
  const stem = Buffer.byteLength(name) > stemMax ? shortened(name.slice(0, cut)) : name.slice(0, cut);
  return `${stem.trimEnd()} (${number})${name.slice(cut)}`;
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
