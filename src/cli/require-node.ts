/** The oldest Node that runs this project: `engines` in package.json says the same. */
const oldest = [24, 18] as const;

/** Ends the process with a clear message when the Node that runs it is too old. Only syntax that old Nodes know. */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return;
  console.error(
    `svc: found Node ${version}, expected Node >= ${oldest.join('.')}. In a checkout run "npm run svc -- <command>", which uses the bundled Node.`,
  );
  process.exit(2);
}
