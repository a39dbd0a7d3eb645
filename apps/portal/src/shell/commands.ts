export interface Command {
  id: string;
  label: string;
  /** What it is found by beside its label. */
  words?: string;
  /** Keys that do the same. */
  keys?: string;
  run: () => void;
}

/** Those that have every word that was typed, the ones whose label begins with it first. */
export function findCommands(commands: readonly Command[], typed: string): Command[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return [...commands];
  const words = wanted.split(/\s+/);
  const textOf = ({ label, words: more = '' }: Command) => `${label} ${more}`.toLowerCase();
  const begins = ({ label }: Command) => Number(label.toLowerCase().startsWith(wanted));
  return commands
    .filter((command) => words.every((word) => textOf(command).includes(word)))
    .sort((one, other) => begins(other) - begins(one));
}
