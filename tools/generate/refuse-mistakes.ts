import { globSync, readFileSync } from 'node:fs';
import { type JsonObject, isJsonObject } from '#lib/json.ts';

/**
 * Throws an error with file and line if a TypeScript file below some folders declares a type twice. TypeScript would
 * silently merge two interfaces with one name.
 */
export function refuseDuplicates(folders: readonly string[]): void {
  const files = globSync(folders.map((folder) => `${folder}/**/*.ts`)).toSorted();
  refuse(files.flatMap((file) => duplicateTypes(file, readFileSync(file, 'utf8'))));
}

/**
 * Throws an error that names both files if two files declare a component of one name. The bundler would silently rename
 * the second component.
 */
export function refuseRenamed(document: JsonObject, version: string): void {
  refuse(renamedComponents(document).flatMap((component) => getDeclarations(component, version)));
}

function refuse(found: readonly string[]): void {
  if (found.length === 0) return;
  throw new Error(`declared twice, rename one or join them:\n${found.map((line) => `  ${line}`).join('\n')}`);
}

/** Returns the types that a file declares more than once, as `file:line: name, first declared in line n`. */
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

/**
 * Returns the kind and original name of each component that the bundler has renamed to `name-2` and so on, because
 * another component has its name.
 */
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
 * Returns every marker of `npm run new` that is left in the YAML files below a folder, as `file:line: value to fill
 * in`.
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

/**
 * Throws an error that lists every marker of `npm run new` in the YAML files below a folder. Does nothing if no marker
 * is left.
 */
export function refuseGaps(folder: string): void {
  const gaps = gapsIn(folder);
  if (gaps.length > 0) throw new Error(`still to be filled in:\n${gaps.map((line) => `  ${line}`).join('\n')}`);
}
