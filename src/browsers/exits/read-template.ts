/** What a text of the file of proxies may be filled with for each browser. */
const placeholders = ['country', 'COUNTRY', 'session'] as const;

/** One of them. */
export type Placeholder = (typeof placeholders)[number];

/** A text with gaps. What came from the environment is text: a brace in a password opens no gap. */
export type Template = readonly (string | { readonly gap: Placeholder })[];

/** A template, or why the text is none. */
export type TemplateReading = { readonly template: Template } | { readonly problem: string };

/** Reads `${NAME}` as a variable of the environment and `{country}`, `{COUNTRY}` and `{session}` as gaps; other text stands for itself. */
export function readTemplate(text: string, environment: Readonly<Record<string, string | undefined>>): TemplateReading {
  const template: Template[number][] = [];
  let end = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(/\$\{(?<variable>\w+)\}|\{(?<gap>\w*)\}/g)) {
    const piece = pieceOf(groups, environment);
    if (typeof piece === 'object' && 'problem' in piece) return piece;
    template.push(text.slice(end, index), piece);
    end = index + whole.length;
  }
  return { template: [...template, text.slice(end)] };
}

function pieceOf(
  { variable, gap }: Readonly<Record<string, string | undefined>>,
  environment: Readonly<Record<string, string | undefined>>,
): Template[number] | { readonly problem: string } {
  if (variable !== undefined)
    return environment[variable] ?? { problem: `names the variable ${variable}, which the environment does not have` };
  const known = placeholders.find((name) => name === gap);
  if (known !== undefined) return { gap: known };
  return {
    problem: `has {${gap}}, expected {${placeholders.join('}, {')}} or \${NAME} for a variable of the environment`,
  };
}
