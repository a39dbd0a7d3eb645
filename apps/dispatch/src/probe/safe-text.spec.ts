import { MAX_OBSERVED_BYTES, redacted, safeText } from './safe-text';

describe('safeText', () => {
  it('keeps words, line ends and tabs', () => {
    expect(safeText('grüße,\n\t世界 👋🏽', undefined)).toBe('grüße,\n\t世界 👋🏽');
  });

  it('replaces what could be taken amiss', () => {
    expect(safeText('a\u0000b\u001b[31mc\r\u202ed\ud800e\u200b', undefined)).toBe(
      'a\ufffdb\ufffd[31mc\ufffd\ufffdd\ufffde\ufffd',
    );
  });

  it.each(['x', 'é', '漢', '🙂', '\u0000'])('cuts %j where a character ends', (character) => {
    const text = safeText(`a${character.repeat(10_000)}`, undefined);
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeLessThanOrEqual(MAX_OBSERVED_BYTES);
    expect(bytes).toBeGreaterThan(MAX_OBSERVED_BYTES - 4);
    expect(Buffer.from(text).toString()).toBe(text);
    expect(text.replace(/^a/, '').replaceAll(character, '').replaceAll('\ufffd', '')).toBe('');
  });

  it('never shows the credential, in whichever spelling', () => {
    const credential = 'se/cr"et+x';
    const text = `Bearer ${credential} ${JSON.stringify({ credential })} ${encodeURIComponent(credential)}`;
    expect(safeText(text, credential)).toBe('Bearer [credential] {"credential":"[credential]"} [credential]');
    expect(redacted('nothing', '')).toBe('nothing');
  });

  it('takes no credential out that is shorter than any: it would be everywhere', () => {
    const text = 'x'.repeat(1_000);
    expect(redacted(text, 'x')).toBe(text);
    expect(redacted(text, 'x'.repeat(7))).toBe(text);
    expect(redacted(text, 'x'.repeat(8))).toMatch(/^(\[credential\])+$/);
  });

  it('does not show the beginning of one that lies across the end', () => {
    const text = 'x'.repeat(MAX_OBSERVED_BYTES - 3) + 'topsecret'.repeat(2);
    expect(safeText(text, 'topsecret')).not.toContain('top');
  });
});
