import { describe, expect, it } from 'vitest';
import { createTabList, getScene } from './tabs.ts';

describe('the tab in front', () => {
  it('is the newest tab, then the tab brought to the front, then the previous one', () => {
    const tabs = createTabList();
    for (const id of ['A', 'B', 'C']) tabs.ensure(id);
    expect(tabs.active()?.id).toBe('C');
    tabs.toFront('A');
    tabs.toFront('nobody');
    tabs.ensure('B');
    expect(tabs.active()?.id).toBe('A');
    tabs.remove('A');
    expect(tabs.active()?.id).toBe('C');
    expect(tabs.all().map(({ id }) => id)).toEqual(['B', 'C']);
  });

  it('is not one that Chromium says is hidden, as long as there is another', () => {
    const tabs = createTabList();
    const [first, second] = [tabs.ensure('A'), tabs.ensure('B')];
    second.isHidden = true;
    expect([tabs.active()?.id, getScene(tabs, false).trouble]).toEqual(['A', null]);
    first.isHidden = true;
    expect([tabs.active()?.id, getScene(tabs, false).trouble]).toEqual(['B', 'background']);
    tabs.toFront('B');
    expect(getScene(tabs, false).trouble).toBeNull();
  });

  it('shows its crash and its dialog, and no other tab its own', () => {
    const tabs = createTabList();
    const [first, second] = [tabs.ensure('A'), tabs.ensure('B')];
    first.isCrashed = true;
    second.dialog = { shown: { kind: 'alert', message: 'Hello', suggestion: '' }, answer: () => undefined };
    second.title = 'x'.repeat(1_000);
    expect(getScene(tabs, true)).toMatchObject({ trouble: null, dialog: { message: 'Hello' }, canResize: true });
    expect(getScene(tabs, true).tabs[1]?.title).toHaveLength(300);
    tabs.toFront('A');
    expect(getScene(tabs, true)).toMatchObject({ trouble: 'crashed', dialog: null });
  });
});
