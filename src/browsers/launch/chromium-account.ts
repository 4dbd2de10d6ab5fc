/** Whom a browser runs as. */
export interface ChromiumAccount {
  /** User and group, both the same number, or null for our own user. */
  readonly uid: number | null;
  /** Whether Chromium's own sandbox is on. */
  readonly sandbox: boolean;
}

/**
 * The user that browsers run as when we are root. The range 60578-61183 is assigned to nobody by systemd's list of
 * user ids, so the number collides neither with people nor with services; no account needs to exist for it.
 */
const BROWSER_UID = 60_700;

/** The users worth trying, the safest first. */
export function chromiumAccountCandidates(weAreRoot: boolean): ChromiumAccount[] {
  if (!weAreRoot) {
    return [
      { uid: null, sandbox: true },
      { uid: null, sandbox: false },
    ];
  }
  return [
    { uid: BROWSER_UID, sandbox: true },
    { uid: BROWSER_UID, sandbox: false },
    // In a container that maps a single user there is nobody else to become; Chromium's sandbox refuses root.
    { uid: null, sandbox: false },
  ];
}
