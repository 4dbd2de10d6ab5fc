import { isProblem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { BrowserRow } from '#store/queries/browsers.ts';
import { type NamedFile, type OpenForm, openForm, readUpload, renderForm } from './files.ts';

interface Wanted extends NamedFile {
  readonly browser: BrowserRow;
}

/** POST /files/browsers/{session_id}/presigned-url (companion 5.1 and 5.6): the file is put where clients of the browser can name it. */
export const createBrowserUpload: Operation<Caller, Wanted, OpenForm> = {
  async decide(request, { browsers, scope }) {
    const file = readUpload(request);
    if (isProblem(file)) return file;
    const browser = await browsers.find(scope.projectId, (request.path['session_id'] ?? '').toLowerCase());
    if (browser === null) return problem('session_not_found', {});
    return browser.status === 'active' ? { ...file, browser } : problem('browser_stopped', {});
  },
  async apply({ browser, ...file }, caller) {
    const workspaceId = await caller.browsers.workspaceOf(browser);
    return workspaceId === null ? problem('browser_stopped', {}) : openForm(caller, workspaceId, file);
  },
  render: renderForm,
};
