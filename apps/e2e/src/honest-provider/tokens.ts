/** A word's beginning with the space before it, or white space by itself: about four bytes of English. */
const TOKEN = /\s?[^\s]{1,5}|\s/gu;

/** A text's tokens by the test model's tokenizer; joined they are the text. */
export function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}
