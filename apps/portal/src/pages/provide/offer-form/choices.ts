interface Choice {
  value: string;
  label: string;
}

/** The options of a choice, by id; those that would read alike have their ids beside what they are. */
export function choicesOf<T extends { id: string }>(
  entries: readonly T[],
  wordsFor: (entry: T) => string,
): Choice[] {
  const labels = entries.map(wordsFor);
  return entries.map(({ id }, at) => {
    const label = labels[at] ?? id;
    const isAlone = labels.indexOf(label) === labels.lastIndexOf(label);
    return { value: id, label: isAlone ? label : `${label} · ${id}` };
  });
}
