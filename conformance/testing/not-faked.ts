/**
 * Areas that the fake service does not have: what goes beyond the contract. Their checks are judged on the reference, and
 * their mutants stand in test/mutants.
 */
export const notFaked: readonly string[] = ['answers', 'interface', 'account', 'profiles', 'workspaces', 'files'];
