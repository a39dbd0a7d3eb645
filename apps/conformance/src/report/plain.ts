/** A text without what would steer a terminal: words of the service that is tried stand in it. */
export function plain(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, '?');
}
