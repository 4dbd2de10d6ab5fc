const changes = new EventTarget();
const name = 'change';

/** Notifies the lists of the page that something was changed, so that they are read at once. */
export function noteChange(): void {
  changes.dispatchEvent(new Event(name));
}

/** Calls `listener` after each change. Returns a function that ends it. */
export function onChange(listener: () => void): () => void {
  changes.addEventListener(name, listener);
  return () => changes.removeEventListener(name, listener);
}
