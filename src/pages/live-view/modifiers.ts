/** The modifier keys of an event. */
export interface HeldKeys {
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

/** Modifier keys as a number. On a Mac Command stands for Control, because the watched browser runs on Linux. */
export function modifiersOf({ altKey, ctrlKey, metaKey, shiftKey }: HeldKeys, isMac: boolean): number {
  const control = ctrlKey || (isMac && metaKey);
  const meta = metaKey && !isMac;
  return (altKey ? 1 : 0) + (control ? 2 : 0) + (meta ? 4 : 0) + (shiftKey ? 8 : 0);
}
