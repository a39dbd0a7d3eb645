/** `0x1234…abcd` of an address, `0x12345678…abcdef12` of a transaction; shorter text as it is. */
export function shorten(value: string): string {
  if (value.length <= 14) return value;
  const ends = value.length > 42 ? 8 : 4;
  return `${value.slice(0, ends + 2)}…${value.slice(-ends)}`;
}

/** Where an explorer shows it; undefined unless the explorer's address is http(s). */
export function explorerLink(
  explorer: string | null,
  kind: 'address' | 'tx' | 'block',
  value: string,
): string | undefined {
  if (explorer === null || !/^https?:\/\//.test(explorer)) return undefined;
  return `${explorer.replace(/\/$/, '')}/${kind}/${encodeURIComponent(value)}`;
}
