import { type Exchange, succeeded } from '../core/exchange.ts';
import { type JsonObject, isJsonObject, memberAt, textOf } from '../core/json.ts';
import type { OperationKey } from '../core/operations.ts';
import { NotTestable } from '../core/outcome.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import { textOfLength } from '../core/text.ts';
import { byteLength } from './workspace-files.ts';

/** A file that is to be sent with a form. */
export interface FormFile {
  fileName: string;
  contentType: string;
  text: string;
}

/** A form as it was handed out. */
export interface UploadForm {
  asked: Exchange;
  address: string;
  fields: Readonly<Record<string, string>>;
  /** Name under which a task finds the file. */
  fileName: string;
}

/** What happened to forms of one session. */
export interface FormLife {
  file: FormFile;
  form: UploadForm;
  /** Sent without one of the fields, and with another value in one. */
  missing: FormTry[];
  changed: FormTry[];
  /** Sent with fewer and more bytes than were declared. */
  sizes: FormTry[];
  /** Sent as it should be. */
  stored: Exchange;
  /** Forms that were asked for out of bounds. */
  refused: FormTry[];
  unlisted: Exchange;
}

/** One answer and what was wrong with its request. */
export interface FormTry {
  what: string;
  exchange: Exchange;
}

/** The operations that hand out forms. */
export type FormKey = Extract<OperationKey, 'v2.createSessionUpload' | 'v2.createBrowserUpload'>;

/** Asks for a form. */
export async function askForm(
  context: ScenarioContext,
  [key, id]: readonly [FormKey, string],
  file: FormFile,
): Promise<UploadForm> {
  const { fileName, contentType, text } = file;
  const body = { fileName, contentType, sizeBytes: byteLength(text) };
  return formOf(await context.operations.call(key, { path: [id], body }));
}

/** Sends a form: every field, then the file. */
export async function sendForm(
  { send }: ScenarioContext,
  { address, fields }: UploadForm,
  file: FormFile,
): Promise<Exchange> {
  if (!URL.canParse(address)) throw new NotTestable('no address for a form was handed out');
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const rawBody = encode(fields, file);
  return send({
    generation: 'other',
    operation: 'sendForm',
    method: 'POST',
    path: address,
    key: 'none',
    rawBody,
    headers,
  });
}

/** The same in every run, so that a form is sent in the same words again; no field and no file of ours contains it. */
const boundary = '----svc-check-form-boundary';

function encode(fields: Readonly<Record<string, string>>, file: FormFile): string {
  const parts = Object.entries(fields).map(([name, value]) => part(`name="${quoted(name)}"`, value));
  const opening = `name="file"; filename="${quoted(file.fileName)}"\r\nContent-Type: ${file.contentType}`;
  return `${[...parts, part(opening, file.text)].join('')}--${boundary}--\r\n`;
}

function part(disposition: string, value: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
}

// As HTML spells what would end the quoted word.
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Sends forms of a session in every wrong way, then as it should be. */
export async function driveForms(context: ScenarioContext, id: string, file: FormFile): Promise<FormLife> {
  const ask = (): Promise<UploadForm> => askForm(context, ['v2.createSessionUpload', id], file);
  const form = await ask();
  const names = Object.keys(form.fields);
  // A form takes one file: each change is tried on one that has taken none.
  const trials = async (
    what: (name: string) => string,
    change: (form: UploadForm, name: string) => UploadForm,
  ): Promise<FormTry[]> => {
    const tried: FormTry[] = [];
    for (const name of names) {
      const exchange = await sendForm(context, change(await ask(), name), file);
      tried.push({ what: what(name), exchange });
    }
    return tried;
  };
  return {
    file,
    form,
    missing: await trials((name) => `the field ${name}`, without),
    changed: await trials((name) => `another ${name}`, altered),
    sizes: await sendSizes(context, ask, file),
    stored: await sendForm(context, form, file),
    ...(await askWrongly(context, id)),
  };
}

function without(form: UploadForm, name: string): UploadForm {
  return { ...form, fields: Object.fromEntries(Object.entries(form.fields).filter(([field]) => field !== name)) };
}

function altered(form: UploadForm, name: string): UploadForm {
  return { ...form, fields: { ...form.fields, [name]: anotherValue(form.fields[name] ?? '') } };
}

// A character in the middle, of the same kind, so that the form of the value stays.
function anotherValue(value: string): string {
  const at = Math.floor(value.length / 2);
  const found = value[at] ?? '';
  const next = /\d/.test(found) ? String((Number(found) + 1) % 10) : found === 'a' ? 'b' : 'a';
  return value.slice(0, at) + next + value.slice(at + 1);
}

async function sendSizes(context: ScenarioContext, ask: () => Promise<UploadForm>, file: FormFile): Promise<FormTry[]> {
  const texts = { 'fewer bytes': file.text.slice(1), 'more bytes': `${file.text}.` };
  const tried: FormTry[] = [];
  for (const [what, text] of Object.entries(texts)) {
    const form = await ask();
    tried.push({ what, exchange: await sendForm(context, form, { ...file, text }) });
  }
  return tried;
}

async function askWrongly(context: ScenarioContext, id: string): Promise<Pick<FormLife, 'refused' | 'unlisted'>> {
  const call = (body: JsonObject): Promise<Exchange> =>
    context.operations.call('v2.createSessionUpload', { path: [id], body, invalid: true });
  const right = { fileName: 'svc-check.txt', contentType: 'text/plain', sizeBytes: 1 };
  const bodies: Record<string, JsonObject> = {
    'an empty name': { ...right, fileName: '' },
    'a name of 256 characters': { ...right, fileName: textOfLength(256) },
    'a size of 0': { ...right, sizeBytes: 0 },
    'more than 10 MiB': { ...right, sizeBytes: 10_485_761 },
  };
  const refused: FormTry[] = [];
  for (const [what, body] of Object.entries(bodies)) refused.push({ what, exchange: await call(body) });
  return { refused, unlisted: await call({ ...right, contentType: 'application/x-svc-check' }) };
}

function formOf(asked: Exchange): UploadForm {
  const fields = succeeded(asked) ? memberAt(asked.json, 'fields') : undefined;
  const entries = isJsonObject(fields) ? Object.entries(fields) : [];
  return {
    asked,
    address: textOf(memberAt(asked.json, 'url')),
    fields: Object.fromEntries(entries.map(([name, value]) => [name, textOf(value)])),
    fileName: textOf(memberAt(asked.json, 'fileName')),
  };
}
