/** Returns the element with an id, or null when this page lacks it: a view-only page has fewer elements. */
export function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind | null {
  const found = document.getElementById(id);
  return found instanceof kind ? found : null;
}

/** Returns the element with an id. Throws when the page lacks it, which is a bug. */
export function needed<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = element(id, kind);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}
