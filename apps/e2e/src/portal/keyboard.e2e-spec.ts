import type { Page } from 'playwright-core';
import type { Wallet } from 'ethers';
import { Marketplace } from '../stack/marketplace';
import { expectAccessible } from './accessibility';
import { focusOn, openPortal, settled, usePortalBrowser } from './browser';
import { customer } from './customer';
import { PAGES } from './portal-pages';
import { developmentWallet, signIn } from './sign-in';

/** More stops than any page has. */
const MOST_STOPS = 150;

const browser = usePortalBrowser();
let market: Marketplace;
let buyer: Wallet;
let operator: Wallet;

beforeAll(async () => {
  market = await Marketplace.connect();
  ({ signer: buyer } = await customer(market, { requests: 3 }));
  operator = await developmentWallet('operator');
});
afterAll(() => market.close());

interface Stop {
  /** Tells stops apart. */
  id: number;
  name: string;
  isVisible: boolean;
  isMarked: boolean;
}

/** What has the focus: whether it can be seen, and whether it looks different with the focus than without. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  window.stops ??= new Map();
  if (!window.stops.has(element)) window.stops.set(element, window.stops.size);
  // A field's mark may be at its frame.
  const marks = (of) => [of, of.parentElement, of.parentElement?.parentElement, of.nextElementSibling].filter(Boolean)
    .map((each) => getComputedStyle(each)).map((style) => [style.outlineStyle === 'none' ? '' : style.outline, style.boxShadow, style.borderColor, style.backgroundColor].join()).join();
  const focused = marks(element);
  // A box to tick may be drawn by its label.
  const own = element.getBoundingClientRect();
  const box = own.width > 0 ? own : element.labels?.[0]?.getBoundingClientRect() ?? own;
  element.blur();
  const blurred = marks(element);
  element.focus({ preventScroll: true });
  return {
    id: window.stops.get(element),
    name: element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40),
    isVisible: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
    isMarked: focused !== blurred,
  };
})()`;

/** How things look is compared at once: nothing may be on its way from one look to another. */
const STILL = `(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important; }');
  document.adoptedStyleSheets.push(sheet);
})()`;

/** Goes once around the page with the Tab key, through its end and its beginning. */
async function walk(page: Page): Promise<Stop[]> {
  const stops: Stop[] = [];
  await page.evaluate(STILL);
  for (let count = 0; count < MOST_STOPS; count++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate<Stop | null>(FOCUSED);
    if (stop && stops.some(({ id }) => id === stop.id)) return stops;
    if (stop) stops.push(stop);
  }
  throw new Error(`no end: ${stops.map(({ name }) => name).join(' → ')}`);
}

describe('with the keyboard alone', () => {
  it.each(PAGES)('$title: every stop can be seen and is marked, none is a trap', async (page) => {
    const visitor = await browser.visit();
    await signIn(visitor.page, 'operatorsOnly' in page ? operator : buyer);
    await openPortal(visitor.page, page.path);
    await settled(visitor.page);
    const reachable = await visitor.page
      .locator('main')
      .locator('a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled)')
      .filter({ visible: true })
      .count();
    const stops = await walk(visitor.page);
    expect(stops.map(({ name }) => name)).toContain('A Skip to the page');
    expect(stops.filter(({ isVisible }) => !isVisible)).toEqual([]);
    expect(stops.filter(({ isMarked }) => !isMarked)).toEqual([]);
    // A group of radio buttons or tabs is one stop: the arrows go on.
    expect(stops.length).toBeGreaterThan(Math.min(reachable, PAGES.length));
  });

  it('the skip link leads past the menu', async () => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    await openPortal(page, '/keys');
    await settled(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await focusOn(page.locator('#page'));
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.querySelector('main').contains(document.activeElement)`)).toBe(true);
  });

  it('g and a letter lead to each page, but not out of a field that is being typed in', async () => {
    const { page } = await browser.visit();
    await signIn(page, operator);
    await openPortal(page, '/account');
    await settled(page);
    // The second key counts for a moment only: both are on their way before either is waited for.
    const go = async (shortcut: string, title: string) => {
      await Promise.all([page.keyboard.press('g'), page.keyboard.press(shortcut)]);
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      await settled(page);
    };
    for (const { shortcut, title } of PAGES) {
      await go(shortcut, title);
      if (title !== 'Playground') continue;
      // It waits for a message to be typed, and the focus comes a moment after its heading.
      await focusOn(page.getByRole('textbox', { name: 'Your message' }));
      await page.evaluate('document.activeElement.blur()');
    }
    await go('m', 'Models');
    const field = page.getByRole('main').getByRole('textbox').first();
    await field.focus();
    await page.keyboard.type('gk');
    expect(await field.inputValue()).toBe('gk');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Models');
  });

  it('g and a letter count by when they are pressed, however busy the page is', async () => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    await openPortal(page, '/account');
    await settled(page);
    await page.evaluate(`addEventListener('keydown', ({ key, timeStamp }) => {
      while (key === 'g' && performance.now() < timeStamp + 2_000);
    })`);
    await Promise.all([page.keyboard.press('g'), page.keyboard.press('k')]);
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  });

  it('keys that are pressed alone do nothing where they are turned off, which a reload does not change', async () => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    await openPortal(page, '/keys');
    await settled(page);
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    const single = dialog.getByRole('switch', { name: 'Shortcuts of single keys' });
    await page.keyboard.press('?');
    await dialog.getByText('Go to Usage').waitFor();
    await expectAccessible(page);
    await single.press('Space');
    await dialog.getByText('Go to Usage').waitFor({ state: 'hidden' });
    await page.reload();
    await settled(page);
    await Promise.all([page.keyboard.press('?'), page.keyboard.press('g'), page.keyboard.press('u')]);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search pages and commands' });
    await focusOn(palette.getByRole('combobox'));
    expect(await dialog.count()).toBe(0);
    expect(await page.getByRole('heading', { level: 1, includeHidden: true }).textContent()).toBe('API keys');
    await page.keyboard.type('shortcuts');
    await page.keyboard.press('Enter');
    await single.press('Space');
    await dialog.getByText('Go to Usage').waitFor();
  });

  it('the command palette finds a page, and gives the focus back', async () => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    await openPortal(page, '/');
    await settled(page);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search pages and commands' });
    await focusOn(palette.getByRole('combobox'));
    await page.keyboard.type('settle');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Settlements' }).waitFor();
    await palette.waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    await focusOn(palette.getByRole('combobox'));
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'hidden' });
  });

  it('no palette comes above another dialog, which its Esc would close too', async () => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    await openPortal(page, '/keys');
    await settled(page);
    const dialog = page.getByRole('dialog');
    // From here on its code is there.
    await page.keyboard.press('Control+k');
    await focusOn(dialog.getByRole('combobox'));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Create key' }).click();
    const name = dialog.getByLabel('Name');
    await focusOn(name);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('typed');
    expect(await name.inputValue()).toBe('typed');
    expect(await dialog.count()).toBe(1);
  });

  it.each([
    ['Control+k', 'Search pages and commands'],
    ['?', 'Keyboard shortcuts'],
  ])('%s gives the focus back, also the first time', async (keys, name) => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    await openPortal(page, '/keys');
    await settled(page);
    const before = page.getByRole('button', { name: 'Create key' });
    const dialog = page.getByRole('dialog', { name });
    for (let time = 0; time < 2; time++) {
      await before.focus();
      await page.keyboard.press(keys);
      await focusOn(dialog.locator(':focus'));
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await focusOn(before);
    }
  });

  it('the menu on a narrow screen closes with Escape, and when one goes on to the page that it lies above', async () => {
    const { page } = await browser.visit({ width: 390 });
    await signIn(page, buyer);
    await openPortal(page, '/keys');
    await settled(page);
    const closed = page.getByRole('button', { name: 'Open the menu' });
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await closed.focus();
    await page.keyboard.press('Enter');
    await links.last().focus();
    await page.keyboard.press('Escape');
    await focusOn(closed);
    await links.first().waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await links.last().focus();
    await page.keyboard.press('Tab');
    await focusOn(page.getByRole('button', { name: 'Create key' }));
    await closed.waitFor();
    await links.first().waitFor({ state: 'hidden' });
  });
});
