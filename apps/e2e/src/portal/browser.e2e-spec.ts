import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { usePortalBrowser } from './browser';

const browser = usePortalBrowser();

describe('the browser in which pages are tested', () => {
  it('draws text', async () => {
    const { page } = await browser.visit();
    await page.setContent('<span>mmmm</span>');
    const widthOf = (text: string) =>
      page.evaluate<number>(
        `document.querySelector('span').textContent = '${text}', document.querySelector('span').offsetWidth`,
      );
    expect(await widthOf('mmmm')).toBeGreaterThan(await widthOf('iiii'));
    expect(await widthOf('iiii')).toBeGreaterThan(0);
  });

  it('notes what a page complains about, and tells what was expected from it', async () => {
    const { page, complaints } = await browser.visit();
    await page.setContent('<p></p>');
    await page.evaluate(`console.error('as expected')`);
    const thrown = page.waitForEvent('pageerror');
    await page.evaluate(`setTimeout(() => { throw new Error('out of the blue'); })`);
    await thrown;
    expect(complaints.unexpected()).toEqual([
      expect.stringContaining('as expected'),
      expect.stringContaining('out of the blue'),
    ]);
    complaints.expect(/as expected/, /out of the blue/);
    expect(complaints.unexpected()).toEqual([]);
  });

  it('may be left while something that a test has routed is under way', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { page } = await browser.visit();
    await page.route('**/*', async (route) => route.fulfill({ response: await route.fetch() }));
    const isAsked = once(silent, 'connection');
    void page.goto(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`).catch(() => undefined);
    await isAsked;
    await browser.leave();
    silent.close();
  });
});
