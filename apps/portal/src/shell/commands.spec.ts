import { findCommands } from './commands';
import type { Command } from './commands';

const command = (label: string, words?: string): Command => ({
  id: label,
  label,
  words,
  run: () => undefined,
});

describe('findCommands', () => {
  const all = [
    command('Overview', 'balance money'),
    command('API keys'),
    command('Look: dark', 'theme'),
    command('Keys help'),
  ];

  it('finds by every word, in labels and in other words for them', () => {
    expect(findCommands(all, 'dark theme').map(({ id }) => id)).toEqual(['Look: dark']);
    expect(findCommands(all, 'MONEY').map(({ id }) => id)).toEqual(['Overview']);
    expect(findCommands(all, 'nothing')).toEqual([]);
  });

  it('puts first what begins with what was typed', () => {
    expect(findCommands(all, 'keys').map(({ id }) => id)).toEqual(['Keys help', 'API keys']);
  });

  it('shows all when nothing was typed', () => {
    expect(findCommands(all, '  ')).toHaveLength(4);
  });
});
