/** Says by how much a text is too long. Cutting it, as a field's `maxLength` does, would sign or keep something else than was pasted. */
export function tooLong(text: string, most: number): string | undefined {
  const length = [...text].length;
  return length > most ? `At most ${most} characters; these are ${length.toLocaleString('en')}.` : undefined;
}
