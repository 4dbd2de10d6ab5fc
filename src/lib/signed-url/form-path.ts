/** What the signature of an upload form is for: both fields that say something of the file, each in a form that has no slash. */
export function formPath(key: string, contentType: string): string {
  return `/upload-forms/${encodeURIComponent(key)}/${encodeURIComponent(contentType)}`;
}
