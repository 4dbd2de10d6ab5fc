/** Colour functions of a terminal report. Every function returns its text unchanged when colours are off. */
export interface Paint {
  red: (text: string) => string;
  green: (text: string) => string;
  yellow: (text: string) => string;
  bold: (text: string) => string;
  dim: (text: string) => string;
}

/** Creates a set of colours, on or off. */
export function createPaint(colour: boolean): Paint {
  const code = (open: number, close: number) => (text: string) =>
    colour ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { red: code(31, 39), green: code(32, 39), yellow: code(33, 39), bold: code(1, 22), dim: code(2, 22) };
}

/** Width and colours of a text report. */
export interface Style {
  columns: number;
  paint: Paint;
}
