import { type Tab, type TabElements, TabError } from '#browsers/tab/tab.ts';
import type { AgentWorld, TaskServices } from '../agent.ts';
import type { AgentFiles } from '../files.ts';
import type { Mail, Mailbox } from '../mailbox.ts';
import { collectEvidence, type Evidence, identifies } from './evidence.ts';
import { getLabel, hashBytes, type PageView, readPage } from './page-view.ts';
import type { ScriptAction } from './script-file.ts';
import { addStep, type Trace } from './trace.ts';

/** A world that records what an agent does. */
export interface RecordingWorld {
  readonly world: AgentWorld;
  /** Observes the page at the end of the run; null when the run used no page or the page cannot be observed. */
  last(): Promise<PageView | null>;
}

/** Observed state of the tab. */
interface Watch {
  readonly trace: Trace;
  page: PageView | null;
  isNew: boolean;
  /** Properties of the element that was used last and therefore has the focus; null if this element is unknown. */
  focused: Evidence | null;
  tab: Tab | null;
}

/** Creates a world that adds the successful actions of an agent to a trace. */
export function recordWorld(world: AgentWorld, trace: Trace): RecordingWorld {
  const watch: Watch = { trace, page: null, isNew: false, focused: null, tab: null };
  if (world.mailbox !== null) trace.marks.set('mailbox', world.mailbox.address);
  return {
    world: {
      ...world,
      async tab() {
        const tab = await world.tab();
        watch.tab = tab;
        return recordTab(tab, watch);
      },
      files: recordFiles(world.files, watch),
      mailbox: world.mailbox === null ? null : recordMailbox(world.mailbox, watch),
      ...(world.services === undefined ? {} : { services: recordServices(world.services, watch) }),
      async wait(ms) {
        await world.wait(ms);
        // Shorter waits are pauses between two observations.
        if (ms >= 1_000) add(watch, { do: 'wait', ms });
      },
    },
    last: async () => (watch.tab === null ? null : observeLast(watch.tab, watch)),
  };
}

async function observeLast(tab: Tab, watch: Watch): Promise<PageView | null> {
  try {
    return await observe(tab, watch);
  } catch (error) {
    if (!(error instanceof TabError)) throw error;
    spoil(watch, `the last page cannot be looked at: ${error.message}`);
    return null;
  }
}

function add(watch: Watch, action: ScriptAction): void {
  addStep(watch.trace, action, watch);
  watch.isNew = false;
}

function spoil(watch: Watch, reason: string): void {
  watch.trace.spoiled ??= reason;
}

async function observe(tab: Tab, watch: Watch): Promise<PageView> {
  watch.page = readPage(await tab.snapshot(), watch.trace.marks);
  watch.isNew = true;
  return watch.page;
}

function recordTab(tab: Tab, watch: Watch): Tab {
  const marked = (text: string): string => getMarked(watch, text);
  /** Performs an action without an element, and records it. */
  const done = async <T>(act: () => Promise<T>, action: () => ScriptAction): Promise<T> => {
    const result = await act();
    add(watch, action());
    return result;
  };
  return {
    ...tab,
    open: (url) =>
      done(
        () => tab.open(url),
        () => ({ do: 'open', url: marked(url) }),
      ),
    back: () =>
      done(
        () => tab.back(),
        () => ({ do: 'back' }),
      ),
    waitFor: (text, state, timeoutMs) =>
      done(
        () => tab.waitFor(text, state, timeoutMs),
        () => ({ do: 'waitFor', text: marked(text), state }),
      ),
    async snapshot() {
      const snapshot = await tab.snapshot();
      watch.page = readPage(snapshot, watch.trace.marks);
      watch.isNew = true;
      return snapshot;
    },
    async screenshot(refs) {
      spoil(watch, 'the run depends on a picture of the page');
      return tab.screenshot(refs);
    },
    ...recordNamed(tab, watch),
    elements: recordElements(tab, watch),
    tabs: {
      list: () => tab.tabs.list(),
      show: (number) =>
        done(
          () => tab.tabs.show(number),
          () => ({ do: 'showTab', number }),
        ),
      close: (number) =>
        done(
          () => tab.tabs.close(number),
          () => ({ do: 'closeTab', number }),
        ),
      add: () =>
        done(
          () => tab.tabs.add(),
          () => ({ do: 'newTab' }),
        ),
    },
    dialogs: {
      seen: () => tab.dialogs.seen(),
      answerNext: (answer) =>
        done(
          () => tab.dialogs.answerNext(answer),
          () => ({ do: 'answerDialog', accept: answer?.accept ?? false, text: marked(answer?.text ?? '') }),
        ),
    },
  };
}

/**
 * Replaces input values in a text by marks such as `@{{1}}`. If the text already contains `@{{`, no script can be made
 * of the run, because a replay could replace that part.
 */
function getMarked(watch: Watch, text: string): string {
  if (watch.trace.marks.isMarked(text)) spoil(watch, 'the run enters a text that looks like an input of a task');
  return watch.trace.marks.mark(text);
}

const pressablePattern = /^(?:link|button|checkbox|radio|tab|menuitem|option|switch|treeitem|gridcell)$/;
const typablePattern = /^(?:textbox|searchbox|combobox|spinbutton)$/;

/**
 * Records the methods that select an element by its name, and `press`, which acts on the focused element. No script can
 * be made of a run with an upload, with a name that does not identify one element, or with a key that may activate a
 * control while the focus is unknown.
 */
function recordNamed(tab: Tab, watch: Watch): Pick<Tab, 'click' | 'type' | 'press' | 'upload' | 'download'> {
  const named = async <T>(
    { name, roles }: { readonly name: string | null; readonly roles: RegExp },
    act: () => Promise<T>,
    action: (on: Evidence) => ScriptAction,
  ): Promise<T> => {
    const page = await observe(tab, watch);
    const fits = page.nodes.filter(
      (node) => roles.test(node.role) && (name === null || getLabel(node).toLowerCase() === name.toLowerCase()),
    );
    const [only] = fits;
    const on = fits.length === 1 && only?.ref != null ? await collectElementEvidence(tab, watch, only.ref) : null;
    const result = await act();
    if (on === null) spoil(watch, `found ${fits.length} elements called "${name ?? ''}", expected one`);
    else add(watch, action(on));
    return result;
  };
  return {
    click: (name) =>
      named(
        { name, roles: pressablePattern },
        () => tab.click(name),
        (on) => ({ do: 'click', on }),
      ),
    type: (name, text, isPlace) =>
      named(
        { name, roles: typablePattern },
        () => tab.type(name, text, isPlace),
        (on) => ({
          do: 'type',
          on,
          text: getMarked(watch, text),
        }),
      ),
    download: (name) =>
      named(
        { name, roles: pressablePattern },
        () => tab.download(name),
        (on) => ({ do: 'download', on }),
      ),
    async upload(field, file) {
      await tab.upload(field, file);
      spoil(watch, 'the run puts a file into a field that it chose by its label');
    },
    async press(key) {
      await tab.press(key);
      if (watch.focused === null && !harmlessPattern.test(key))
        return spoil(watch, `the run presses ${key} without a focused element`);
      return add(watch, { do: 'press', on: watch.focused, key });
    },
  };
}

/** Keys that never activate a control. */
const harmlessPattern = /^(?:Escape|PageUp|PageDown|Home|End)$/;

/** Collects the evidence of an element before an action; null when the evidence does not identify the element. */
async function collectElementEvidence(tab: Tab, watch: Watch, ref: string): Promise<Evidence | null> {
  const { page, trace } = watch;
  if (page === null) return null;
  const search = { page, marks: trace.marks, describe: (one: string) => tab.elements.describe(one) };
  const evidence = await collectEvidence(search, ref);
  if (evidence === null) return null;
  return (await identifies(search, evidence, ref)) ? evidence : null;
}

/** Performs an action on an element, and records it with the evidence of the element. */
type OnElement = <T>(ref: string, act: () => Promise<T>, action: (on: Evidence) => ScriptAction) => Promise<T>;

function recordElements(tab: Tab, watch: Watch): TabElements {
  const on: OnElement = async (ref, act, action) => {
    const evidence = watch.trace.spoiled === null ? await collectElementEvidence(tab, watch, ref) : null;
    const result = await act();
    if (evidence === null) spoil(watch, `step ${watch.trace.steps.length + 1} uses an element that nothing identifies`);
    else add(watch, action(evidence));
    watch.focused = evidence;
    return result;
  };
  return { ...tab.elements, ...recordControls(tab, watch, on), ...recordTransfers(tab, watch, on) };
}

function recordControls(
  { elements }: Tab,
  watch: Watch,
  on: OnElement,
): Pick<TabElements, 'click' | 'hover' | 'type' | 'select' | 'check' | 'press'> {
  return {
    click: (ref, count = 1) =>
      on(
        ref,
        () => elements.click(ref, count),
        (one) => ({ do: count === 2 ? 'doubleClick' : 'click', on: one }),
      ),
    hover: (ref) =>
      on(
        ref,
        () => elements.hover(ref),
        (one) => ({ do: 'hover', on: one }),
      ),
    type: (ref, text, isPlace) =>
      on(
        ref,
        () => elements.type(ref, text, isPlace),
        (one) => ({ do: 'type', on: one, text: getMarked(watch, text) }),
      ),
    select: (ref, options) =>
      on(
        ref,
        () => elements.select(ref, options),
        (one) => ({
          do: 'select',
          on: one,
          options: options.map((option) => getMarked(watch, option)),
        }),
      ),
    check: (ref, checked) =>
      on(
        ref,
        () => elements.check(ref, checked),
        (one) => ({ do: 'check', on: one, checked }),
      ),
    press: (ref, key) =>
      on(
        ref,
        () => elements.press(ref, key),
        (one) => ({ do: 'press', on: one, key }),
      ),
  };
}

function recordTransfers(
  { elements }: Tab,
  watch: Watch,
  on: OnElement,
): Pick<TabElements, 'scroll' | 'upload' | 'download'> {
  return {
    async scroll(ref, direction, pages) {
      const act = (): Promise<void> => elements.scroll(ref, direction, pages);
      if (ref !== null) return on(ref, act, (one) => ({ do: 'scroll', on: one, direction, pages }));
      await act();
      return add(watch, { do: 'scroll', on: null, direction, pages });
    },
    upload: (ref, file) =>
      on(
        ref,
        () => elements.upload(ref, file),
        (one) => ({ do: 'upload', on: one, path: lastRead(watch, file.name) }),
      ),
    download: (ref) =>
      on(
        ref,
        () => elements.download(ref),
        (one) => ({ do: 'download', on: one }),
      ),
  };
}

/**
 * Returns the path of the file that was read for an upload; the name of the file if the trace has no step that read it.
 */
function lastRead({ trace: { steps, marks } }: Watch, name: string): string {
  const paths = steps.flatMap(({ action }) => (action.do === 'readFile' ? [action.path] : []));
  return paths.findLast((path) => marks.fill(path).split('/').at(-1) === name) ?? name;
}

function recordFiles(files: AgentFiles, watch: Watch): AgentFiles {
  const listed = <T>(list: () => Promise<T>): Promise<T> => {
    spoil(watch, 'the run depends on a list of files');
    return list();
  };
  return {
    list: () => listed(() => files.list()),
    attached: () => listed(() => files.attached()),
    downloads: () => files.downloads(),
    async read(name) {
      const file = await files.read(name);
      add(watch, { do: 'readFile', path: getMarked(watch, file.path), hash: hashBytes(file.bytes) });
      return file;
    },
    async readText(name) {
      const file = await files.readText(name);
      // A replay compares the bytes; the text is without a byte order mark and without secrets.
      const { bytes } = await files.read(file.path);
      add(watch, { do: 'readFile', path: getMarked(watch, file.path), hash: hashBytes(bytes) });
      return file;
    },
    async write(path, text) {
      const file = await files.write(path, text);
      add(watch, { do: 'writeFile', path: getMarked(watch, path), text: getMarked(watch, text) });
      return file;
    },
  };
}

/**
 * Wraps services whose effects a replay would omit: no script can be made of a run with a proposal or with a call of an
 * integration.
 */
function recordServices({ skills, proposals, integrations }: TaskServices, watch: Watch): TaskServices {
  return {
    skills,
    proposals: proposals && {
      propose(proposal) {
        spoil(watch, 'the run proposes a scheduled task');
        return proposals.propose(proposal);
      },
    },
    integrations: integrations && {
      tools: (name) => integrations.tools(name),
      call(name, call) {
        spoil(watch, `the run calls a tool of the integration ${name}`);
        return integrations.call(name, call);
      },
    },
  };
}

function recordMailbox(mailbox: Mailbox, watch: Watch): Mailbox {
  const came = (mail: Mail | null, wish: { from?: string; subject?: string }): Mail | null => {
    if (mail === null) return null;
    const hash = setMail(watch.trace, mail);
    add(watch, { do: 'waitForMail', from: wish.from ?? null, subject: wish.subject ?? null, hash });
    return mail;
  };
  return {
    address: mailbox.address,
    list: () => mailbox.list(),
    wait: async (wish, signal) => came(await mailbox.wait(wish, signal), wish),
    async read(number) {
      const mail = await mailbox.read(number);
      return came(mail, mail === null ? {} : { from: mail.from, subject: mail.subject });
    },
  };
}

/**
 * Registers the first codes and links of a mail as inputs of the following steps. Returns the hash of the mail's text
 * with marks in place of inputs.
 */
export function setMail({ marks }: Pick<Trace, 'marks'>, { codes, links, text }: Mail): string {
  const joined = joinCharacters(text);
  for (const [index, code] of codes.slice(0, 5).entries()) {
    marks.set(`mail.code.${index + 1}`, code);
    const written = findWritten(joined, code);
    if (written !== null) marks.set(`mail.written.${index + 1}`, written);
  }
  for (const [index, { url }] of links.slice(0, 20).entries()) marks.set(`mail.link.${index + 1}`, url);
  return hashBytes(Buffer.from(marks.mark(text)));
}

/** A text, its characters without blanks and hyphens, and the index in the text of each of these characters. */
interface Joined {
  readonly text: string;
  readonly characters: string;
  readonly places: readonly number[];
}

function joinCharacters(text: string): Joined {
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) if (text[at] !== ' ' && text[at] !== '-') places.push(at);
  return { text, characters: text.replaceAll(/[ -]/g, ''), places };
}

/**
 * Returns a code as it is spelt in a text, where blanks and hyphens may separate its characters; null when the text
 * does not contain it.
 */
function findWritten({ text, characters, places }: Joined, code: string): string | null {
  const at = characters.indexOf(code);
  const [first, last] = [places[at], places[at + code.length - 1]];
  return at < 0 || first === undefined || last === undefined ? null : text.slice(first, last + 1);
}
