/** The values of a form, read when it is sent. */
export interface FormValues {
  /** Trimmed; empty for a field that is not there. */
  text(name: string): string;
  isTicked(name: string): boolean;
  files(name: string): File[];
}

/** Keeps the browser from sending a form, and answers with its values. */
export function formValues(event: Event & { readonly currentTarget: HTMLFormElement }): FormValues {
  event.preventDefault();
  const data = new FormData(event.currentTarget);
  return {
    text: (name) => {
      const value = data.get(name);
      return typeof value === 'string' ? value.trim() : '';
    },
    isTicked: (name) => data.has(name),
    files: (name) => data.getAll(name).filter(isChosen),
  };
}

/** A field of files without any has one without a name. */
function isChosen(value: FormDataEntryValue): value is File {
  return value instanceof File && value.name !== '';
}
