/** The element of that id, or null where this page has none; a page to look at has fewer than one to work in. */
export function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind | null {
  const found = document.getElementById(id);
  return found instanceof kind ? found : null;
}

/** The element of that id. Throws when the page has none, which is a bug of the page. */
export function needed<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = element(id, kind);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}
