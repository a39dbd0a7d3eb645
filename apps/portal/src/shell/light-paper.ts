const SCHEME = 'data-mantine-color-scheme';

/** Paper is light, also where the screen is dark: what is light on dark could not be read on it. */
export function keepPaperLight(): void {
  const root = document.documentElement;
  let onScreen: string | null = null;
  window.addEventListener('beforeprint', () => {
    onScreen = root.getAttribute(SCHEME);
    root.setAttribute(SCHEME, 'light');
  });
  window.addEventListener('afterprint', () => {
    if (onScreen !== null) root.setAttribute(SCHEME, onScreen);
  });
}
