import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const checkout = JSON.parse(readFileSync('package.json', 'utf8'));
const text = readFileSync('.github/workflows/release.yml', 'utf8');
const { jobs, permissions } = parse(text);
interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
}
const steps: readonly Step[] = Object.values<{ steps: Step[] }>(jobs).flatMap((job) => job.steps);
const lines = steps.flatMap(({ run = '' }) => run.split('\n'));

describe('the release', () => {
  it('runs what package.json has', () => {
    const scripts = lines.flatMap((line) => [...line.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name));
    const asked = steps.flatMap(({ uses }) => (uses?.startsWith('changesets/action') ? ['release:version'] : []));
    expect(scripts).toContain('package');
    for (const name of [...scripts, ...asked]) expect(Object.keys(checkout.scripts)).toContain(name);
  });

  it('may do what each job says and no more, and publishes with provenance what it has tested', () => {
    expect(permissions).toEqual({});
    expect(Object.entries<{ permissions: object }>(jobs).map(([name, job]) => [name, job.permissions])).toEqual([
      ['version', { contents: 'write', 'pull-requests': 'write' }],
      ['publish', { contents: 'write', 'id-token': 'write' }],
    ]);
    const tested = lines.findIndex((line) => line.includes('vitest run test/package'));
    const published = lines.findIndex((line) => line.includes('npm publish'));
    expect(tested).toBeGreaterThan(0);
    expect(published).toBeGreaterThan(tested);
    const archive = steps.find(({ env }) => env?.['SVC_PACKAGE'] !== undefined)?.env?.['SVC_PACKAGE'];
    expect(lines[published]).toMatch(new RegExp(`^npm publish --provenance --access public \\./${archive}$`));
    // A stored token could be stolen. The job proves its identity to the registry instead.
    expect(text).not.toMatch(/NPM_TOKEN|NODE_AUTH_TOKEN/);
  });

  it('is made of changesets that are about this package', () => {
    const schema = JSON.parse(readFileSync('node_modules/@changesets/config/schema.json', 'utf8'));
    const config = JSON.parse(readFileSync('.changeset/config.json', 'utf8'));
    const ajv = new Ajv2020({ strict: false });
    expect([ajv.validate(schema, config), ajv.errors]).toEqual([true, null]);
    expect(ajv.validate(schema, { ...config, access: 'everybody' })).toBe(false);
    const names = readdirSync('.changeset').filter((name) => name.endsWith('.md') && name !== 'README.md');
    for (const name of names) {
      const [, front, words] = readFileSync(join('.changeset', name), 'utf8').split(/^---$/m);
      const [[about, bump] = []] = Object.entries(parse(front ?? ''));
      expect({ name, about }).toEqual({ name, about: checkout.name });
      expect(['patch', 'minor', 'major']).toContain(bump);
      expect(words?.trim()).not.toBe('');
    }
  });
});
