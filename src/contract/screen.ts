/** The sides of a browser's window that a request names, in CSS pixels; null leaves a side at its default. */
export interface Screen {
  readonly width: number | null;
  readonly height: number | null;
}

/** The screen of a request, null when it names no side. */
export function screenOf(width: number | null | undefined, height: number | null | undefined): Screen | null {
  const screen = { width: width ?? null, height: height ?? null };
  return screen.width === null && screen.height === null ? null : screen;
}
