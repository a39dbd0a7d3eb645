import { KeySequence } from './key-sequence';
import type { PressedKey } from './key-sequence';

const key = (name: string, more: Partial<PressedKey> = {}): PressedKey => ({
  ...{ key: name, code: '', ctrlKey: false, metaKey: false, altKey: false, isTyping: false },
  ...more,
});

describe('KeySequence', () => {
  const sequence = () => new KeySequence(new Set(['k', 'u']));

  it('goes to a page by g and its letter', () => {
    const keys = sequence();
    expect(keys.press(key('g'), 0)).toBeUndefined();
    expect(keys.press(key('u'), 500)).toEqual({ kind: 'go', shortcut: 'u' });
    expect(keys.press(key('u'), 600)).toBeUndefined();
  });

  it('forgets g when too much time passes or another key comes between', () => {
    const keys = sequence();
    keys.press(key('g'), 0);
    expect(keys.press(key('u'), 2_000)).toBeUndefined();
    keys.press(key('g'), 3_000);
    keys.press(key('x'), 3_100);
    expect(keys.press(key('u'), 3_200)).toBeUndefined();
  });

  it('leaves what is typed into a field alone, but for the chord', () => {
    const keys = sequence();
    for (const name of ['/', '?', 'g', 'u']) {
      expect(keys.press(key(name, { isTyping: true }), 0)).toBeUndefined();
    }
    expect(keys.press(key('k', { isTyping: true, metaKey: true }), 0)).toEqual({ kind: 'search' });
    expect(keys.press(key('K', { ctrlKey: true }), 0)).toEqual({ kind: 'search' });
  });

  it.each([
    ['Cyrillic', 'п', 'г', 'л'],
    ['Greek', 'γ', 'θ', 'κ'],
  ])('takes a %s keyboard’s keys for the Latin letters in their places', (_, g, u, k) => {
    const keys = sequence();
    keys.press(key(g, { code: 'KeyG' }), 0);
    expect(keys.press(key(u, { code: 'KeyU' }), 500)).toEqual({ kind: 'go', shortcut: 'u' });
    expect(keys.press(key(k, { code: 'KeyK', ctrlKey: true }), 600)).toEqual({ kind: 'search' });
  });

  it('goes by the letter where a Latin one is written, wherever its key lies', () => {
    const keys = sequence();
    expect(keys.press(key('k', { code: 'KeyV', ctrlKey: true }), 0)).toEqual({ kind: 'search' });
    expect(keys.press(key('t', { code: 'KeyK', ctrlKey: true }), 0)).toBeUndefined();
    expect(keys.press(key('ü', { code: 'KeyG' }), 0)).toBeUndefined();
    expect(keys.press(key('u', { code: 'KeyU' }), 100)).toBeUndefined();
  });

  it('takes no key that is pressed alone where that is turned off, but the chord', () => {
    const keys = new KeySequence(new Set(['u']), false);
    for (const name of ['/', '?', 'g', 'u']) expect(keys.press(key(name), 0)).toBeUndefined();
    expect(keys.press(key('k', { ctrlKey: true }), 0)).toEqual({ kind: 'search' });
  });

  it('leaves the browser its own chords', () => {
    expect(sequence().press(key('/', { ctrlKey: true }), 0)).toBeUndefined();
    expect(sequence().press(key('k', { ctrlKey: true, altKey: true }), 0)).toBeUndefined();
  });
});
