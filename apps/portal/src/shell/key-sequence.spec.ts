import { KeySequence } from './key-sequence';
import type { PressedKey } from './key-sequence';

const key = (name: string, more: Partial<PressedKey> = {}): PressedKey => ({
  ...{ key: name, ctrlKey: false, metaKey: false, altKey: false, isTyping: false },
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

  it('leaves the browser its own chords', () => {
    expect(sequence().press(key('/', { ctrlKey: true }), 0)).toBeUndefined();
    expect(sequence().press(key('k', { ctrlKey: true, altKey: true }), 0)).toBeUndefined();
  });
});
