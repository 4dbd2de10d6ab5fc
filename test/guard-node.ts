/** vitest half-works on an old Node: say so before it prints something misleading. */
export function setup(): void {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 24) {
    throw new Error(
      `found Node ${process.versions.node}, expected Node >= 24.18: run the tests with "npm test", which puts the bundled Node first`,
    );
  }
}
