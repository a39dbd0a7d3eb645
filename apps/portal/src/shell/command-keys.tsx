/** Keyboard shortcuts and the command palette. */
export function CommandKeys() {
  return null;
}
