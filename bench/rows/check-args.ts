/** The words of `svc check` against the reference at an address, without a limit of its rate. */
export function checkArgs(address: string, spend: string, reports: Readonly<Record<string, string>>): string[] {
  const report = Object.entries(reports).map(([kind, file]) => `${kind}=${file}`);
  const words = ['--target', 'examples/targets/reference.yaml', '--spend', spend, '--rate', '0', '--seed', '1'];
  return ['src/cli/main.ts', 'check', address, ...words, '--report', report.join(',')];
}
