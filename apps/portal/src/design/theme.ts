import { createTheme } from '@mantine/core';
import type { CSSVariablesResolver, MantineColorsTuple } from '@mantine/core';
import { signalColours } from './signal-colours';

/** Neutral greys with a breath of blue; Mantine's own are kept in light, these are the dark scheme's. */
const dark: MantineColorsTuple = [
  '#d5d9e0',
  '#b6bcc7',
  '#9aa2b1',
  '#6d7687',
  '#3f4655',
  '#2b313d',
  '#20252f',
  '#161a22',
  '#11141b',
  '#0c0e13',
];

/** The one accent. 6 carries white text in both schemes, 4 is legible on dark. */
const accent: MantineColorsTuple = [
  '#eef2ff',
  '#dfe5fb',
  '#bcc8f4',
  '#96a8ee',
  '#7b91ea',
  '#5c76e0',
  '#4059d0',
  '#3549b5',
  '#2c3d97',
  '#243279',
];

export const theme = createTheme({
  colors: { dark, accent, ...signalColours },
  black: '#171a21',
  primaryColor: 'accent',
  primaryShade: 6,
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily:
    'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Code", "Roboto Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.125rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // Of dialogs and notices, which give it no name.
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    // What interrupts those who listen says so itself: most only stand there.
    Alert: { defaultProps: { role: 'note' } },
    // What stands for something that still loads says so, also when nothing around it does.
    Skeleton: { defaultProps: { 'aria-busy': true } },
  },
});

/**
 * Text on its own tint, and coloured text on the page. Mantine's shades for that are too faint to read on light backgrounds: WCAG
 * 2.2, 1.4.3 asks for 4.5:1.
 */
const LEGIBLE_ON_LIGHT: Record<string, string> = {
  red: '#a61e1e',
  orange: '#9a3412',
  yellow: '#7a4b00',
  teal: '#08603f',
  green: '#1e6628',
  blue: '#1453a3',
  gray: '#454c58',
};

function colourVariables(scheme: 'light' | 'dark'): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, legible] of Object.entries(LEGIBLE_ON_LIGHT)) {
    if (scheme === 'light') {
      variables[`--mantine-color-${name}-light-color`] = legible;
      variables[`--mantine-color-${name}-text`] = legible;
    } else {
      variables[`--mantine-color-${name}-light`] =
        `color-mix(in srgb, var(--mantine-color-${name}-5) 16%, transparent)`;
    }
  }
  return variables;
}

/** Greys and colours that are legible on page and cards, in both schemes. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...colourVariables('light'),
    '--mantine-color-dimmed': '#5b6371',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    ...colourVariables('dark'),
    '--mantine-color-accent-light': 'color-mix(in srgb, var(--mantine-color-accent-5) 22%, transparent)',
    '--mantine-color-dimmed': '#a3abb9',
    '--mantine-color-placeholder': '#8b94a3',
    '--mantine-color-error': '#ff8787',
  },
});
