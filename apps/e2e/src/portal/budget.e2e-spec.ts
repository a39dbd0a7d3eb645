import type { Response } from 'playwright-core';
import { openPortal, settled, usePortalBrowser } from './browser';
import { developmentWallet, signIn } from './sign-in';

const MOST_BYTES = 250_000;
const YEAR_SECONDS = 31_536_000;

const browser = usePortalBrowser();

describe('what a first visit costs', () => {
  it.each(['signed out', 'signed in'])(
    '%s: at most 250 kB of scripts and styles, compressed',
    async (who) => {
      const { page } = await browser.visit();
      if (who === 'signed in') await signIn(page, await developmentWallet('buyer'));
      const responses: Response[] = [];
      page.on('response', (response) => responses.push(response));
      await openPortal(page, '/');
      await settled(page);
      const assets = responses.filter((response) => /\.(js|css)$/.test(response.url()));
      expect(assets.length).toBeGreaterThan(0);
      for (const asset of assets) expect(await asset.headerValue('content-encoding')).toMatch(/^(br|gzip)$/);
      const sizes = await Promise.all(
        assets.map(async (asset) => (await asset.request().sizes()).responseBodySize),
      );
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_BYTES);
      const fonts = responses.filter((response) => /\.(woff2?|ttf)$/.test(response.url()));
      expect(fonts).toEqual([]);
    },
  );

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
