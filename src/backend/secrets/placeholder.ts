/** What stands for a secret in texts that go to the agent, and come from it: `<secret:password>`. */
export function placeholderOf(name: string): string {
  return `<secret:${name}>`;
}

/** A pattern for one placeholder; its group is the name. */
export const PLACEHOLDER = /<secret:(?<name>[^<>]+)>/g;
