import {
  IconActivity,
  IconBuildingStore,
  IconChartBar,
  IconCube,
  IconHome,
  IconKey,
  IconMessage2,
  IconReceipt2,
  IconShieldCog,
  IconUserCircle,
} from '@tabler/icons-react';
import { lazy } from 'react';
import type { ComponentType, LazyExoticComponent } from 'react';
import { codeWhenOnline } from '../api/late-code';
import { notify } from '../design/notify';

/** A browser waits for code for minutes, and the page before stays until it is there. */
const LONG_MS = 10_000;

type Load = () => Promise<{ default: ComponentType }>;

export interface PageEntry {
  name: string;
  title: string;
  /** Below /portal; a page that ends in `/*` has routes of its own inside. */
  path: string;
  /** Where the menu leads; undefined for a page that is only reached from another one. */
  link?: string;
  icon: typeof IconHome;
  /** Typed after `g`. */
  shortcut?: string;
  /** Who may see it. */
  for: 'everybody' | 'signed-in' | 'operators';
  /** Loads its code, which may fail. */
  load: Load;
  component: LazyExoticComponent<ComponentType>;
}

function page(entry: Omit<PageEntry, 'component'>): PageEntry {
  return { ...entry, component: lazy(() => codeWhenOnline(() => sayIfLong(entry.load()))) };
}

async function sayIfLong<T>(code: Promise<T>): Promise<T> {
  let hide = (): void => undefined;
  const timer = setTimeout(() => {
    hide = notify.waiting('The marketplace does not answer', 'The page comes as soon as it does.');
  }, LONG_MS);
  try {
    return await code;
  } finally {
    clearTimeout(timer);
    hide();
  }
}

/** Every page, in the order of the menu. Each is a chunk of its own. */
export const pages: PageEntry[] = [
  page({
    ...{ name: 'overview', title: 'Overview', path: '/', link: '/', icon: IconHome, shortcut: 'o' },
    for: 'signed-in',
    load: () => import('../pages/overview/overview-page'),
  }),
  page({
    ...{ name: 'models', title: 'Models', path: '/models/*', link: '/models', icon: IconCube, shortcut: 'm' },
    for: 'everybody',
    load: () => import('../pages/models/models-page'),
  }),
  page({
    ...{ name: 'playground', title: 'Playground', path: '/playground', link: '/playground' },
    ...{ icon: IconMessage2, shortcut: 'p' },
    for: 'signed-in',
    load: () => import('../pages/playground/playground-page'),
  }),
  page({
    ...{ name: 'keys', title: 'API keys', path: '/keys', link: '/keys', icon: IconKey, shortcut: 'k' },
    for: 'signed-in',
    load: () => import('../pages/keys/keys-page'),
  }),
  page({
    ...{ name: 'usage', title: 'Usage', path: '/usage', link: '/usage', icon: IconChartBar, shortcut: 'u' },
    for: 'signed-in',
    load: () => import('../pages/usage/usage-page'),
  }),
  page({
    ...{ name: 'request', title: 'Request', path: '/usage/:requestId', icon: IconActivity },
    for: 'signed-in',
    load: () => import('../pages/request/request-page'),
  }),
  page({
    ...{ name: 'settlements', title: 'Settlements', path: '/settlements/*', link: '/settlements' },
    ...{ icon: IconReceipt2, shortcut: 's' },
    for: 'signed-in',
    load: () => import('../pages/settlements/settlements-page'),
  }),
  page({
    ...{ name: 'provide', title: 'Provide', path: '/provide/*', link: '/provide' },
    ...{ icon: IconBuildingStore, shortcut: 'v' },
    for: 'signed-in',
    load: () => import('../pages/provide/provide-page'),
  }),
  page({
    ...{ name: 'operators', title: 'Operators', path: '/operators/*', link: '/operators' },
    ...{ icon: IconShieldCog, shortcut: 'a' },
    for: 'operators',
    load: () => import('../pages/operators/operators-page'),
  }),
  page({
    ...{ name: 'account', title: 'Account', path: '/account', link: '/account' },
    ...{ icon: IconUserCircle, shortcut: 'c' },
    for: 'signed-in',
    load: () => import('../pages/account/account-page'),
  }),
];

/** What the menu shows. */
export function pagesFor(who: { isSignedIn: boolean; isOperator: boolean }): PageEntry[] {
  return pages.filter((entry) => {
    if (entry.link === undefined) return false;
    if (entry.for === 'operators') return who.isOperator;
    return entry.for === 'everybody' || who.isSignedIn;
  });
}
