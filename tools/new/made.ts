/** Read access to the files of the repository. */
export interface Tree {
  read(file: string): string;
  exists(file: string): boolean;
}

/** What is to be written, and what a person does then. */
export interface Made {
  /** Path from the root -> whole text. */
  readonly files: ReadonlyMap<string, string>;
  /** Steps, in order. */
  readonly next: readonly string[];
}

/** Values of the flags of `npm run new`. */
export interface NewFlags {
  readonly version?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly area?: string | undefined;
}
