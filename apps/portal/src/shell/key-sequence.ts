/** What a pressed key asks for. */
type KeyCommand = { kind: 'search' } | { kind: 'help' } | { kind: 'go'; shortcut: string };

export interface PressedKey {
  key: string;
  /** Where it lies, by its letter on a Latin keyboard: `KeyK`. */
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  /** Whether it goes into a field that somebody types in. */
  isTyping: boolean;
}

/** How long after `g` the second key counts. */
const SEQUENCE_MS = 1_500;

/** Reads single keys, one chord and sequences that begin with `g`. Plain keys are left alone while somebody types. */
export class KeySequence {
  private startedAtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param shortcuts the letters that may follow `g`
   * @param singleKeys whether keys that are pressed alone count; the chord always does
   */
  constructor(
    private readonly shortcuts: ReadonlySet<string>,
    private readonly singleKeys = true,
  ) {}

  /** @param nowMs a clock that never goes back */
  press(pressed: PressedKey, nowMs: number): KeyCommand | undefined {
    const { ctrlKey, metaKey, altKey, isTyping } = pressed;
    const key = latinKeyOf(pressed);
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return { kind: 'search' };
    const follows = nowMs - this.startedAtMs <= SEQUENCE_MS;
    this.startedAtMs = Number.NEGATIVE_INFINITY;
    if (!this.singleKeys || isTyping || ctrlKey || metaKey || altKey) return undefined;
    if (follows && this.shortcuts.has(key)) return { kind: 'go', shortcut: key };
    if (key === 'g') this.startedAtMs = nowMs;
    if (key === '/') return { kind: 'search' };
    if (key === '?') return { kind: 'help' };
    return undefined;
  }
}

/** What is written in another script has no `k`: there it is the key that has it on a Latin keyboard. */
function latinKeyOf({ key, code }: PressedKey): string {
  const isForeignLetter = /^\p{L}$/u.test(key) && !/\p{Script=Latin}/u.test(key);
  return (isForeignLetter && /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase()) || key;
}
