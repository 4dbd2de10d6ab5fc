/** Meaning of each class of exclusions, as text. */
export const exclusions: Readonly<Record<string, string>> = {
  advice: 'advice that no answer can break',
  'no-criterion': 'the contract gives no criterion',
  'client-rule': 'a rule for clients, not for a server',
  'not-shown': 'the contract does not show the operation',
  'needs-provider-stub': 'only a stub of the model provider could see it',
  'needs-operator-view': 'only the operator of the service can see it',
  'not-written': 'no check is written yet',
};

/** Returns the class of an exclusion without its detail, which `svc explain` shows; any other reason unchanged. */
export function shortReason(reason: string): string {
  const kind = /^([a-z]+(?:-[a-z]+)*): /.exec(reason)?.[1];
  return (kind === undefined ? undefined : exclusions[kind]) ?? reason;
}
