/** `8k` of 8,192, `128k` of 131,072, `1M`; others as they are written in full. */
export function showTokens(tokens: number): string {
  if (tokens >= 1_000_000 && tokens % 1_000_000 === 0) return `${tokens / 1_000_000}M`;
  if (tokens >= 1024 && tokens % 1024 === 0) return `${tokens / 1024}k`;
  return tokens.toLocaleString('en');
}

/** A share of requests; `under 0.1%` rather than a zero that is not one. */
export function showShare(share: number): string {
  if (share > 0 && share < 0.001) return 'under 0.1%';
  return `${(share * 100).toFixed(share < 0.1 && share > 0 ? 1 : 0)}%`;
}

export function showSpeed(tokensPerSecond: number): string {
  return `${tokensPerSecond < 10 ? tokensPerSecond.toFixed(1) : Math.round(tokensPerSecond)} tokens/s`;
}
