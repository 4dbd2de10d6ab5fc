import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from './generate/build.ts';

/** Writes generated/ from spec/; with --check it writes nothing and fails where the two differ. */
async function main(check: boolean): Promise<number> {
  const files = await build();
  if (check) return reportDrift(files);
  for (const [name, text] of files) {
    const path = join('generated', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  console.log(`generated ${files.size} files`);
  return 0;
}

function reportDrift(files: Map<string, string>): number {
  const stale = [...files].filter(([name, text]) => read(join('generated', name)) !== text).map(([name]) => name);
  const strange = readdirSync('generated', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).replace(/^generated[/\\]/, ''))
    .filter((name) => !files.has(name));
  for (const name of stale) console.error(`generated/${name} differs from spec/: run npm run generate`);
  for (const name of strange) console.error(`generated/${name} is made by nothing: delete it`);
  return stale.length + strange.length === 0 ? 0 : 1;
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

process.exitCode = await main(process.argv.includes('--check'));
