import type { Page } from 'playwright-core';
import type { Wallet } from 'ethers';
import { Marketplace } from '../stack/marketplace';
import { expectAccessible } from './accessibility';
import { openPortal, screenshot, settled, usePortalBrowser } from './browser';
import { customer } from './customer';
import { PAGES } from './portal-pages';
import { developmentWallet, signIn } from './sign-in';

const LOOKS = [
  { theme: 'light', width: 1280 },
  { theme: 'dark', width: 1280 },
  { theme: 'light', width: 390 },
  { theme: 'dark', width: 390 },
] as const;

/** Where tables have many columns. */
const TABLES = [
  { path: '/models', who: 'buyer' },
  { path: '/usage', who: 'buyer' },
  { path: '/settlements', who: 'buyer' },
  { path: '/operators/providers', who: 'operator' },
  { path: '/operators/wallets', who: 'operator' },
  { path: '/operators/audit', who: 'operator' },
];

const browser = usePortalBrowser();
let market: Marketplace;
let buyer: Wallet;
let operator: Wallet;

beforeAll(async () => {
  market = await Marketplace.connect();
  ({ signer: buyer } = await customer(market, { requests: 12 }));
  operator = await developmentWallet('operator');
});
afterAll(() => market.close());

const sidewaysBy = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe.each(LOOKS)('in $theme, $width px wide', ({ theme, width }) => {
  it.each(PAGES)('$title is accessible, and fits', async ({ path, title, ...page }) => {
    const visitor = await browser.visit({ theme, width });
    await signIn(visitor.page, 'operatorsOnly' in page ? operator : buyer);
    await openPortal(visitor.page, path);
    expect(await visitor.page.getByRole('heading', { level: 1 }).textContent()).toBe(title);
    await settled(visitor.page);
    await screenshot(visitor.page, `${title.toLowerCase().replace(' ', '-')}-${theme}-${width}`);
    await expectAccessible(visitor.page);
    expect(await sidewaysBy(visitor.page)).toBe(0);
  });

  it('signing in is accessible, and fits', async () => {
    const { page } = await browser.visit({ theme, width });
    await openPortal(page, '/');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
    await screenshot(page, `sign-in-${theme}-${width}`);
    await expectAccessible(page);
    expect(await sidewaysBy(page)).toBe(0);
  });
});

/** The menu stands beside the page there and leaves it the width of a large phone. */
describe('on a tablet, 768 px wide', () => {
  it.each(TABLES)('$path shows its tables whole', async ({ path, who }) => {
    const { page } = await browser.visit({ width: 768 });
    await signIn(page, who === 'operator' ? operator : buyer);
    await openPortal(page, path);
    await page.locator('main tbody tr').first().waitFor();
    await settled(page);
    await screenshot(page, `${path.slice(1).replace('/', '-')}-768`);
    const hidden = `[...document.querySelectorAll('main table')].map((table) => {
      const region = table.closest('[role="region"]');
      return region.scrollWidth - region.clientWidth;
    })`;
    expect(await page.evaluate<number[]>(hidden)).toEqual([0]);
  });

  it('a settlement keeps its figures within their boxes', async () => {
    const { page } = await browser.visit({ width: 768 });
    await signIn(page, buyer);
    await openPortal(page, '/settlements');
    await page.locator('main tbody tr a').first().click();
    await page.getByText('Owed in all, with it').waitFor();
    const beyond = `[...document.querySelectorAll('main .figures')].filter(
      (figure) => figure.scrollWidth > figure.clientWidth,
    ).length`;
    expect(await page.evaluate<number>(beyond)).toBe(0);
  });
});

describe('with letters half as large again', () => {
  it('nothing of the frame is beyond the edge of a phone', async () => {
    const { page, context } = await browser.visit({ width: 390 });
    const devtools = await context.newCDPSession(page);
    await devtools.send('Page.setFontSizes', { fontSizes: { standard: 24 } });
    await signIn(page, buyer);
    await openPortal(page, '/');
    const beyond = `[...document.querySelectorAll('header button')].filter(
      (button) => button.getBoundingClientRect().right > innerWidth,
    ).length`;
    expect(await page.evaluate<number>(beyond)).toBe(0);
  });
});

describe('to those who listen', () => {
  it.each(PAGES)('$title interrupts nobody while nothing is wrong', async ({ path, ...page }) => {
    const visitor = await browser.visit();
    await signIn(visitor.page, 'operatorsOnly' in page ? operator : buyer);
    await openPortal(visitor.page, path);
    await settled(visitor.page);
    expect(await visitor.page.getByRole('alert').allTextContents()).toEqual([]);
  });
});

describe('to those who go from part to part', () => {
  it.each(PAGES)('$title has no two of the same name', async ({ path, ...page }) => {
    const visitor = await browser.visit();
    await signIn(visitor.page, 'operatorsOnly' in page ? operator : buyer);
    await openPortal(visitor.page, path);
    await settled(visitor.page);
    const parts = `[...document.querySelectorAll('[role="region"], section[aria-label], section[aria-labelledby]')].map(
      (part) => part.ariaLabel ?? document.getElementById(part.getAttribute('aria-labelledby')).textContent,
    )`;
    const names = await visitor.page.evaluate<string[]>(parts);
    expect(names).toEqual([...new Set(names)]);
  });
});

describe('to those who want little motion', () => {
  it('nothing slides into its place', async () => {
    const { page } = await browser.visit({ width: 390 });
    await openPortal(page, '/models');
    await settled(page);
    const sliding = `[...document.querySelectorAll('*')]
      .filter((element) => !/^(0s(, )?)+$/.test(getComputedStyle(element).transitionDuration))
      .map(({ className }) => className)`;
    expect(await page.evaluate<string[]>(sliding)).toEqual([]);
  });
});

describe('on paper', () => {
  it('a table has all its columns, each once', async () => {
    const { page } = await browser.visit({ width: 768 });
    await signIn(page, buyer);
    await openPortal(page, '/usage');
    await settled(page);
    await page.emulateMedia({ media: 'print' });
    const headers = page
      .getByRole('region', { name: 'The requests' })
      .locator('th')
      .filter({ visible: true });
    expect(await headers.allTextContents()).toEqual([
      ...['Time', 'Model', 'Key', 'Provider', 'Tokens in / out', 'First token', 'Outcome', 'USDC'],
    ]);
  });

  it('a receipt is whole', async () => {
    const { page } = await browser.visit();
    await signIn(page, buyer);
    await openPortal(page, '/usage');
    await page.getByRole('region', { name: 'The requests' }).getByRole('link').first().click();
    await page.getByRole('region', { name: 'The receipt', exact: true }).waitFor();
    await page.emulateMedia({ media: 'print' });
    const hidden = `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(
      document.querySelector('[aria-label="The receipt"]'),
    )`;
    expect(await page.evaluate<number>(hidden)).toBe(0);
  });

  it('what is dark on the screen is light', async () => {
    const { page } = await browser.visit({ theme: 'dark' });
    await signIn(page, buyer);
    await openPortal(page, '/');
    const groundAfter = (event: string) =>
      page.evaluate<string>(
        `dispatchEvent(new Event('${event}')); getComputedStyle(document.body).backgroundColor`,
      );
    // As browsers say it of themselves when somebody prints.
    expect(await groundAfter('beforeprint')).toBe('rgb(255, 255, 255)');
    expect(await groundAfter('afterprint')).not.toBe('rgb(255, 255, 255)');
  });
});

/** High contrast, as Windows has it. */
describe('where the system gives the colours', () => {
  it.each([
    ['/operators', 'nav a', 'Operators', 'Usage'],
    ['/operators', '[role="tab"]', 'Overview', 'Wallets'],
    ['/usage', 'label', '30 days', '24 hours'],
  ])('%s: which %s is chosen can be seen', async (path, kind, chosen, other) => {
    const { page } = await browser.visit();
    await page.emulateMedia({ forcedColors: 'active' });
    await signIn(page, operator);
    await openPortal(page, path);
    await settled(page);
    // Whether it keeps a ground of its own: what is computed of it is not what is drawn.
    const adjustOf = (name: string) =>
      page.evaluate<string>(`getComputedStyle(
        [...document.querySelectorAll('${kind}')].find(({ textContent }) => textContent === '${name}'),
      ).forcedColorAdjust`);
    expect([await adjustOf(chosen), await adjustOf(other)]).toEqual(['none', 'auto']);
  });

  it('what the colours of a chart stand for can be seen', async () => {
    const { page } = await browser.visit();
    await page.emulateMedia({ forcedColors: 'active' });
    await signIn(page, buyer);
    await openPortal(page, '/usage');
    const legend = page.getByRole('region', { name: 'Requests served' }).getByRole('listitem');
    await legend.first().waitFor();
    const adjust = `getComputedStyle(document.querySelector('main li > [aria-hidden]')).forcedColorAdjust`;
    expect(await page.evaluate<string>(adjust)).toBe('none');
  });
});
