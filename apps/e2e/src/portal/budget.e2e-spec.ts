import type { Response } from 'playwright-core';
import { openPortal, settled, usePortalBrowser } from './browser';
import { PAGES } from './portal-pages';
import { developmentWallet, signIn } from './sign-in';

const MOST_BYTES = 250_000;
const YEAR_SECONDS = 31_536_000;

const browser = usePortalBrowser();

const roleFor = (page: object): 'operator' | 'buyer' => ('operatorsOnly' in page ? 'operator' : 'buyer');

describe('what a first visit costs', () => {
  it.each([
    { title: 'Sign in', path: '/', as: undefined },
    ...PAGES.map((page) => ({ ...page, as: roleFor(page) })),
  ])('$title: at most 250 kB of scripts and styles, compressed', async ({ path, as }) => {
    const { page } = await browser.visit();
    if (as) await signIn(page, await developmentWallet(as));
    const responses: Response[] = [];
    page.on('response', (response) => responses.push(response));
    await openPortal(page, path);
    await settled(page);
    // Charts follow the page, where there is something to draw; the figures stand there already.
    const assets = responses.filter((response) => /(?<!Chart-[\w-]{8})\.(js|css)$/.test(response.url()));
    expect(assets.length).toBeGreaterThan(0);
    for (const asset of assets) expect(await asset.headerValue('content-encoding')).toMatch(/^(br|gzip)$/);
    const sizes = await Promise.all(
      assets.map(async (asset) => (await asset.request().sizes()).responseBodySize),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
    const fonts = responses.filter((response) => /\.(woff2?|ttf)$/.test(response.url()));
    expect(fonts).toEqual([]);
  });

  it('its assets are named after their content and kept for a year; the page itself is asked for anew', async () => {
    const { page } = await browser.visit();
    const responses: Response[] = [];
    page.on('response', (response) => responses.push(response));
    await openPortal(page, '/');
    const hashed = responses.filter((response) => response.url().includes('/portal/assets/'));
    expect(hashed.length).toBeGreaterThan(1);
    for (const asset of hashed) {
      expect(asset.url()).toMatch(/-[\w-]{8}\.\w+$/);
      const caching = (await asset.headerValue('cache-control')) ?? '';
      expect(caching).toContain('immutable');
      expect(Number(/max-age=(\d+)/.exec(caching)?.[1])).toBeGreaterThanOrEqual(YEAR_SECONDS);
    }
    const [document] = responses;
    expect(await document?.headerValue('cache-control')).toMatch(/no-cache|no-store/);
  });

  it('nothing comes from anywhere but the gateway', async () => {
    const { page } = await browser.visit();
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    await openPortal(page, '/models');
    await settled(page);
    expect([...origins]).toEqual([new URL(page.url()).origin]);
  });
});
