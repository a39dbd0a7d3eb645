/** The pages of the menu, and who may see them. */
export const PAGES = [
  { path: '/', title: 'Overview', shortcut: 'o' },
  { path: '/models', title: 'Models', shortcut: 'm' },
  { path: '/playground', title: 'Playground', shortcut: 'p' },
  { path: '/keys', title: 'API keys', shortcut: 'k' },
  { path: '/usage', title: 'Usage', shortcut: 'u' },
  { path: '/settlements', title: 'Settlements', shortcut: 's' },
  { path: '/provide', title: 'Provide', shortcut: 'v' },
  { path: '/account', title: 'Account', shortcut: 'c' },
  { path: '/operators', title: 'Operators', shortcut: 'a', operatorsOnly: true },
] as const;
