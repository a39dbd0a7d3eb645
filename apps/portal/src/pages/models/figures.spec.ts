import { showShare, showSpeed, showTokens } from './figures';

describe('figures', () => {
  it.each([
    [8_192, '8k'],
    [131_072, '128k'],
    [1_000_000, '1M'],
    [16_000, '16,000'],
    [512, '512'],
  ])('shows %i tokens as %s', (tokens, text) => expect(showTokens(tokens)).toBe(text));

  it.each([
    [0, '0%'],
    [0.0004, 'under 0.1%'],
    [0.0123, '1.2%'],
    [0.5, '50%'],
    [1, '100%'],
  ])('shows the share %d as %s', (share, text) => expect(showShare(share)).toBe(text));

  it('shows speeds', () => {
    expect([showSpeed(4.25), showSpeed(81.6)]).toEqual(['4.3 tokens/s', '82 tokens/s']);
  });
});
