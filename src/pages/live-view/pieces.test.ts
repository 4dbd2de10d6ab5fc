import { afterEach, describe, expect, it, vi } from 'vitest';
import { backOff, connect } from './connection.ts';
import { createClickCounter, createKeysAfterCopy } from './tools.ts';
import { type KeyPress, keyInput, getModifiers } from './key-input.ts';
import { controlWords, getNotice, typedAddress } from './notice.ts';
import { createScreen } from './screen.ts';

const none = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };
const press: KeyPress = { ...none, key: 'a', code: 'KeyA', keyCode: 65, location: 0, repeat: false, isAltGraph: false };
const scene = { tabs: [], active: 'A', dialog: null, trouble: null, canResize: false, isSimulated: false };

describe('the page of the live view', () => {
  it('waits longer with each failure, up to eight seconds', () => {
    expect([1, 2, 3, 4, 5, 6, 60].map(backOff)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it('counts clicks that belong together', () => {
    const count = createClickCounter();
    const at = (timeMs: number, x = 0, button = 0): number => count({ button, x, y: 0, timeMs });
    expect([at(0), at(100), at(200), at(300)]).toEqual([1, 2, 3, 1]);
    expect([at(1_000), at(1_600), at(1_700, 50), at(1_800, 50, 2)]).toEqual([1, 1, 1, 1]);
  });

  it('types what a key types, and nothing with Control', () => {
    const text = (changes: Partial<KeyPress>): string => keyInput({ ...press, ...changes }, 'down', false).text;
    expect([text({}), text({ key: 'Enter' }), text({ key: 'Tab' }), text({ key: '€' })]).toEqual(['a', '\r', '', '€']);
    expect(text({ ctrlKey: true })).toBe('');
    expect(text({ key: '@', ctrlKey: true, altKey: true, isAltGraph: true })).toBe('@');
    expect(keyInput(press, 'up', false).text).toBe('');
  });

  it('takes Command for Control on a Mac', () => {
    const held = { ...none, metaKey: true, shiftKey: true };
    expect([getModifiers(held, true), getModifiers(held, false)]).toEqual([10, 12]);
  });

  it('says why there is no picture, and what can be done', () => {
    expect(getNotice('open', scene)).toBeNull();
    expect(getNotice('open', { ...scene, trouble: 'crashed' })?.action?.does).toBe('reload');
    expect(getNotice('open', { ...scene, trouble: 'background' })?.action?.does).toBe('front');
    expect(getNotice('open', { ...scene, active: null })?.text).toContain('No tab');
    expect(getNotice('lost', scene)?.text).toContain('Trying again');
    expect(getNotice('open', null)?.text).toContain('Connecting');
  });

  it('claims control only while input reaches a page', () => {
    expect(controlWords('interactive', 'open', scene)).toBe('You are in control');
    expect(controlWords('interactive', 'lost', scene)).toBe('Not connected');
    expect(controlWords('interactive', 'open', null)).toBe('Not connected');
    expect(controlWords('interactive', 'open', { ...scene, active: null })).toBe('Not in control');
    expect(controlWords('interactive', 'open', { ...scene, trouble: 'crashed' })).toBe('Not in control');
    expect(controlWords('interactive', 'open', { ...scene, isSimulated: true })).toContain('Simulated');
    expect(controlWords('view', 'open', scene)).toBe('View only');
  });

  it.each([
    ['example.com', 'https://example.com/'],
    [' http://a.example/b?c ', 'http://a.example/b?c'],
    ['localhost:8080/a', 'http://localhost:8080/a'],
    ['a.example:8443', 'https://a.example:8443/'],
    ['file:///etc/passwd', null],
    ['javascript:alert(1)', null],
    ['two words', null],
    ['', null],
  ])('completes the typed address %j', (typed, want) => expect(typedAddress(typed)).toBe(want));
});

afterEach(() => vi.unstubAllGlobals());

describe('the connection', () => {
  it('is tried again when the service does not say in time whether the live view has ended', async () => {
    const sockets: EventTarget[] = [];
    vi.stubGlobal('WebSocket', function createSocket() {
      const socket = new EventTarget();
      sockets.push(socket);
      return socket;
    });
    vi.stubGlobal('location', { href: 'http://127.0.0.1/live/token' });
    vi.stubGlobal('document', { hidden: false, addEventListener: () => undefined });
    const setTimeout = (work: () => void): number => (work(), 1);
    vi.stubGlobal('window', { addEventListener: () => undefined, setInterval: () => 1, setTimeout });
    vi.stubGlobal(
      'fetch',
      (_url: string, { signal }: RequestInit) =>
        new Promise((_resolve, reject) => signal?.aborted === true && reject(signal.reason)),
    );
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const states: string[] = [];
    connect({ report: () => undefined, picture: () => undefined, state: (state) => states.push(state) });
    sockets[0]?.dispatchEvent(new Event('close'));
    await vi.waitFor(() => expect(sockets).toHaveLength(2));
    expect(states).toEqual(['lost']);
    timeout.mockRestore();
  });
});

describe('keys that wait for copied text', () => {
  it('are pressed once the text has arrived, and never after the connection was lost', () => {
    const keys = createKeysAfterCopy();
    const pressed: string[] = [];
    keys.add(() => pressed.push('cut'));
    keys.forget();
    keys.add(() => pressed.push('copy'));
    keys.press();
    keys.press();
    expect(pressed).toEqual(['copy']);
  });
});

describe('the screen', () => {
  it('does not draw a frame whose decoding ends after the screen was blanked, and acknowledges the frame', async () => {
    const decoding: ((picture: object) => void)[] = [];
    vi.stubGlobal('document', { hidden: false, addEventListener: () => undefined });
    vi.stubGlobal(
      'ResizeObserver',
      class {
        observe = () => undefined;
      },
    );
    vi.stubGlobal('createImageBitmap', () => new Promise((resolve) => decoding.push(resolve)));
    const [drawImage, clearRect] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const canvas: object = { width: 1, height: 1, style: {}, getContext: () => ({ drawImage, clearRect }) };
    const stage: object = { clientWidth: 1, clientHeight: 1 };
    const shown: number[] = [];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members of elements that a screen uses
    const screen = createScreen(canvas as HTMLCanvasElement, stage as HTMLElement, (picture) => shown.push(picture));
    const frame = (number: number): ArrayBuffer => new Uint32Array([number << 24, 0]).buffer;
    screen.take(frame(1));
    screen.blank();
    decoding[0]?.({ width: 1, height: 1, close: () => undefined });
    await vi.waitFor(() => expect(shown).toEqual([1]));
    expect([drawImage.mock.calls.length, clearRect.mock.calls.length]).toEqual([0, 1]);
    screen.take(frame(2));
    decoding[1]?.({ width: 1, height: 1, close: () => undefined });
    await vi.waitFor(() => expect(shown).toEqual([1, 2]));
    expect(drawImage).toHaveBeenCalledOnce();
  });
});
