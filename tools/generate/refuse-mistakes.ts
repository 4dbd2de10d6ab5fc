import { globSync, readFileSync } from 'node:fs';
import { type JsonObject, isJsonObject } from '#lib/json.ts';

/**
 * Throws for types that a TypeScript file below some folders declares twice, with file and line. TypeScript would merge
 * two interfaces with one name silently.
 */
export function refuseDuplicates(folders: readonly string[]): void {
  const files = globSync(folders.map((folder) => `${folder}/**/*.ts`)).toSorted();
  refuse(files.flatMap((file) => duplicateTypes(file, readFileSync(file, 'utf8'))));
}

/**
 * Throws for components of a bundled document that two files declare, with these files. The bundler renames the second
 * component silently.
 */
export function refuseRenamed(document: JsonObject, version: string): void {
  refuse(renamedComponents(document).flatMap((component) => getDeclarations(component, version)));
}

function refuse(found: readonly string[]): void {
  if (found.length === 0) return;
  throw new Error(`declared twice, rename one or join them:\n${found.map((line) => `  ${line}`).join('\n')}`);
}

/** Returns types that a file declares more than once, as `file:line: name, first declared in line n`. */
export function duplicateTypes(file: string, text: string): string[] {
  const first = new Map<string, number>();
  return text.split('\n').flatMap((line, at) => {
    const name = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/.exec(line)?.[1];
    if (name === undefined) return [];
    const before = first.get(name);
    first.set(name, before ?? at + 1);
    return before === undefined ? [] : [`${file}:${at + 1}: ${name}, first declared in line ${before}`];
  });
}

/** Kind (such as `schemas`) and name of a component. */
interface Component {
  kind: string;
  name: string;
}

/** Returns the components that the bundler has numbered because another component has their name. */
export function renamedComponents(document: JsonObject): Component[] {
  const components = isJsonObject(document['components']) ? document['components'] : {};
  return Object.entries(components).flatMap(([kind, group]) =>
    Object.keys(isJsonObject(group) ? group : {}).flatMap((numbered) => {
      const name = /^(\w+)-\d+$/.exec(numbered)?.[1];
      return name === undefined ? [] : [{ kind, name }];
    }),
  );
}

function getDeclarations({ kind, name }: Component, version: string): string[] {
  const files = globSync(`spec/{shared,${version}}/${kind}/${name}.yaml`).toSorted();
  return files.map((file) => `${file}:1: ${name}`);
}

/**
 * Returns every unfilled placeholder that `npm run new` has left in the files of a folder, as `file:line: text to
 * replace`.
 */
export function gapsIn(folder: string): string[] {
  return globSync(`${folder}/**/*.yaml`)
    .toSorted()
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          [...line.matchAll(/<fill in: ([^>]*)>/g)].map(([, what]) => `${file}:${at + 1}: ${what}`),
        ),
    );
}

/** Throws an error that lists every unfilled placeholder below a folder. Does nothing if no placeholder is left. */
export function refuseGaps(folder: string): void {
  const gaps = gapsIn(folder);
  if (gaps.length > 0) throw new Error(`still to be filled in:\n${gaps.map((line) => `  ${line}`).join('\n')}`);
}
