/** Opens the command palette. */
export function SearchButton() {
  return null;
}
