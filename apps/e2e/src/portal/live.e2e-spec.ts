import { testUsdcAt } from '@svc/contracts-evm';
import { eventually } from '@svc/testing';
import type { Page, Request } from 'playwright-core';
import { Marketplace } from '../stack/marketplace';
import { openPortal, portalUrl, settled, usePortalBrowser } from './browser';
import { approve, customer } from './customer';
import type { Customer } from './customer';
import { signIn } from './sign-in';

/** Longer than the page waits before it asks again. */
const POLLED_MS = 11_000;
/** An event stream that opens, and says what the test says. */
const OPEN_STREAM = `window.EventSource = class extends EventTarget {
  constructor() {
    super();
    window.live = this;
    setTimeout(() => this.onopen?.());
  }
  close() {}
}`;

const browser = usePortalBrowser();
let market: Marketplace;

beforeAll(async () => {
  market = await Marketplace.connect();
});
afterAll(() => market.close());

const buySomething = ({ apiKey }: Customer) =>
  market.client({ apiKey }).chat.completions.create({
    model: 'svc/demo-small@1',
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 16,
  });

/** The event stream as a page gets it, by the page's own cookie. */
class Events {
  private readonly abort = new AbortController();
  private text = '';

  static async open(page: Page): Promise<Events> {
    const cookies = await page.context().cookies(portalUrl());
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const events = new Events();
    const { signal } = events.abort;
    const reply = await fetch(portalUrl('/api/live'), { headers: { cookie }, signal });
    expect(reply.status).toBe(200);
    void events.read(reply);
    return events;
  }

  /** The data of every event of this name so far. */
  of(name: string): Record<string, unknown>[] {
    return [...this.text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)]
      .filter(([, event]) => event === name)
      .map(([, , data = '']) => JSON.parse(data) as Record<string, unknown>);
  }

  close(): void {
    this.abort.abort();
  }

  private async read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body ?? [])
        this.text += decoder.decode(chunk as Uint8Array, { stream: true });
    } catch {
      // Closed.
    }
  }
}

describe('live events', () => {
  it('tell of an approval once the wallet is read anew, and of a charge', async () => {
    const buyer = await customer(market);
    const { page } = await browser.visit();
    const { csrf_token } = await signIn(page, buyer.signer);
    const events = await Events.open(page);
    const [first] = await eventually(() =>
      events.of('position').length > 0 ? events.of('position') : undefined,
    );
    expect(first).toMatchObject({ approved_usdc: '10.000000', charged_usdc: '0.000000', stopped: null });
    expect(events.of('usage')).toEqual([]);

    // Before anything is owed: what is collected is taken off an approval.
    const chain = await market.connectChain();
    try {
      const token = testUsdcAt(market.ready.usdc, buyer.signer.connect(chain));
      await (await token.approve(market.ready.settlement, 12_000_000n)).wait();
    } finally {
      chain.destroy();
    }
    const headers = { 'x-svc-csrf': csrf_token, origin: new URL(portalUrl()).origin };
    const refreshed = await page.request.post(portalUrl('/api/wallet/refresh'), { headers });
    expect(await refreshed.json()).toMatchObject({ approved_usdc: '12.000000' });
    await eventually(() => events.of('position').at(-1)?.approved_usdc === '12.000000');

    await buySomething(buyer);
    const [usage] = await eventually(() => (events.of('usage').length > 0 ? events.of('usage') : undefined));
    expect(usage).toMatchObject({ outcome: 'served', model: 'svc/demo-small@1' });
    expect(events.of('position').at(-1)).toMatchObject({ charged_usdc: usage?.charged_usdc });
    events.close();
  });

  it('are not undone by what the page had asked before and is told after', async () => {
    const { signer } = await customer(market);
    const { page } = await browser.visit();
    await signIn(page, signer);
    let read: () => void = () => undefined;
    let answer: () => void = () => undefined;
    const isRead = new Promise<void>((resolve) => (read = resolve));
    const isToAnswer = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/portal/api/wallet', async (route) => {
      const response = await route.fetch();
      read();
      await isToAnswer;
      await route.fulfill({ response });
    });
    await page.route('**/portal/api/live', async (route) => {
      await isRead;
      await route.continue();
    });
    const isAsked = (request: Request) => request.url().endsWith('/portal/api/wallet');
    const isOver = Promise.race([
      page.waitForEvent('requestfinished', isAsked),
      page.waitForEvent('requestfailed', isAsked),
    ]);
    await openPortal(page, '/');
    const spendable = page.getByTestId('spendable');
    await spendable.getByText('10.00').waitFor();
    await approve(market, signer, 12_000_000n);
    await spendable.getByText('12.00').waitFor();
    answer();
    await isOver;
    // What came is drawn by then.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await spendable.textContent()).toContain('12.00');
  });

  it('are asked for while the stream is open and has nobody who could tell any', async () => {
    const { signer } = await customer(market);
    const { page, context } = await browser.visit();
    await signIn(page, signer);
    await page.addInitScript(OPEN_STREAM);
    await context.clock.install();
    await openPortal(page, '/');
    await page.getByText('Spendable now').waitFor();
    const askedAnew = () =>
      Promise.all([page.waitForRequest('**/portal/api/wallet'), page.clock.fastForward(POLLED_MS)]);
    await askedAnew();
    const position = await (await page.request.get(portalUrl('/api/wallet'))).text();
    await page.evaluate(
      `live.dispatchEvent(new MessageEvent('position', { data: ${JSON.stringify(position)} }))`,
    );
    await page.evaluate(`live.dispatchEvent(new MessageEvent('away', { data: '{}' }))`);
    await askedAnew();
  });

  it('come again after they were refused', async () => {
    const { signer } = await customer(market);
    const { page } = await browser.visit({ expected: [/status of 503/] });
    await signIn(page, signer);
    let isRefused = false;
    await page.route('**/portal/api/live', async (route) => {
      if (isRefused) return route.continue();
      isRefused = true;
      return route.fulfill({ status: 503 });
    });
    const isOpen = page.waitForResponse(
      (response) => response.url().endsWith('/portal/api/live') && response.ok(),
    );
    await openPortal(page, '/');
    await isOpen;
  });

  it('bring to an open page what changes, without a reload', async () => {
    const buyer = await customer(market);
    const { page } = await browser.visit();
    await signIn(page, buyer.signer);
    await openPortal(page, '/settlements');
    await page.getByText('Nothing was collected yet').waitFor();
    await settled(page);
    await buySomething(buyer);
    // Charged, then collected, in a round among others'.
    await page.getByRole('row').nth(1).waitFor({ timeout: 90_000 });
    await page.getByText('Nothing was collected yet').waitFor({ state: 'hidden' });
  });
});
