import { existsSync, globSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const text = readFileSync('ARCHITECTURE.md', 'utf8');
const dependencyRules = readFileSync('config/dependency-cruiser.mjs', 'utf8');
/** Folders that Git does not track. */
const passing = new Set(['node_modules', '.git', '.svc', 'dist', 'reports', 'coverage']);

/** Rows of the folder map in ARCHITECTURE.md: a folder and the listed folders in it. */
const rows = [...text.matchAll(/^\| `(?<folder>[^`]+\/)` \| (?<children>.*) \|$/gm)].map(({ groups }) => ({
  folder: groups?.['folder'] ?? '',
  children: [...(groups?.['children'] ?? '').matchAll(/`([^`]+)\/`/g)].map(([, name = '']) => name),
}));

/**
 * Texts in backticks of ARCHITECTURE.md that can only be paths: they contain a slash, and no characters of patterns,
 * URLs or commands.
 */
const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]*)+)`/g)].map(([, name = '']) => name.replace(/\/$/, ''));

describe('ARCHITECTURE.md', () => {
  it('has a map of the whole tree', () => {
    expect(rows.map(({ folder }) => folder)).toEqual(['./', 'src/', 'conformance/', 'tools/']);
  });

  it.each(rows)('names every folder in $folder, and no other', ({ folder, children }) => {
    const found = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(children).toEqual(
      found
        .map(({ name }) => name)
        .filter((name) => folder !== './' || !passing.has(name))
        .toSorted(),
    );
  });

  it('names no place that does not exist', () => {
    expect(named.length).toBeGreaterThan(40);
    const tree = globSync('{src,conformance,tools,spec,test}/**').map((path) => `/${path}`);
    const exists = (name: string): boolean => existsSync(name) || tree.some((path) => path.endsWith(`/${name}`));
    // Paths of the service, exports of the package and build results are not in the tree.
    const others = /^(api\/|console\/api$|svc-contract\/|dist$|dist\/)/;
    const places = named.filter((name) => !others.test(name));
    expect([...new Set(places)].filter((name) => !exists(name))).toEqual([]);
  });

  it('names a dependency rule, a test or a command for everything that must not exist', () => {
    const part = /^## What must not exist\n(?<part>[\s\S]*?)^## /m.exec(text)?.groups?.['part'] ?? '';
    const cells = [...part.matchAll(/^\| .* \| (?<by>.*`.*) \|$/gm)].map(({ groups }) => groups?.['by'] ?? '');
    expect(cells.length).toBeGreaterThan(15);
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
    const isEnforcement = (name: string): boolean =>
      dependencyRules.includes(`'${name}'`) || existsSync(name) || scripts[name.replace('npm run ', '')] !== undefined;
    const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    expect(names.filter((name) => !isEnforcement(name))).toEqual([]);
  });
});
