import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Wallet } from 'ethers';
import { eventually } from '@svc/testing';
import { Marketplace } from '../stack/marketplace';
import { Supplier } from '../stack/supplier';
import { openPortal, portalUrl, settled, usePortalBrowser } from './browser';
import { customer } from './customer';
import { ForeignPage } from './foreign-page';
import { PAGES } from './portal-pages';
import { signIn } from './sign-in';

const browser = usePortalBrowser();
let market: Marketplace;
let buyer: Wallet;

beforeAll(async () => {
  market = await Marketplace.connect();
  ({ signer: buyer } = await customer(market));
});
afterAll(() => market.close());

describe('the page itself', () => {
  it('lets no script or style of anybody else in, and may stand in nobody’s frame', async () => {
    const reply = await fetch(portalUrl('/'));
    const policy = Object.fromEntries(
      (reply.headers.get('content-security-policy') ?? '').split(';').map((directive) => {
        const [name = '', ...sources] = directive.trim().split(/\s+/);
        return [name, sources];
      }),
    );
    expect(policy['script-src']).toEqual([`'self'`]);
    expect(policy['style-src']?.join(' ')).not.toContain('unsafe');
    expect(policy['frame-ancestors']).toEqual([`'none'`]);
    expect(policy['base-uri']).toEqual([`'none'`]);
    expect(policy['object-src'] ?? policy['default-src']).toEqual([`'none'`]);
    expect(policy['form-action']).toBeDefined();
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('referrer-policy')).toMatch(/no-referrer|same-origin/);
  });

  it('is not shown in another page’s frame', async () => {
    const { page, complaints } = await browser.visit();
    complaints.expect(/frame-ancestors|X-Frame-Options/);
    await signIn(page, buyer);
    const foreign = await ForeignPage.open(`<iframe src="${portalUrl('/keys')}"></iframe>`);
    try {
      await page.goto(foreign.url);
      const frame = await eventually(() => page.frames().find((each) => each.parentFrame() !== null));
      await eventually(() => frame.url().startsWith('chrome-error:'));
      expect(await frame.getByRole('heading').count()).toBe(0);
    } finally {
      await foreign.close();
    }
  });

  it('another page can do nothing in the name of who is signed in', async () => {
    const { page, complaints, context } = await browser.visit();
    complaints.expect(/CORS|Failed to (fetch|load)|net::ERR/);
    const { csrf_token: csrf } = await signIn(page, buyer);
    const foreign = await ForeignPage.open('<p>win a prize</p>');
    try {
      await page.goto(foreign.url);
      const attempt = (init: object) =>
        page.evaluate<string>(
          `fetch(${JSON.stringify(portalUrl('/api/keys'))}, ${JSON.stringify({ credentials: 'include', ...init })})
            .then((reply) => reply.text(), (error) => 'refused: ' + error.message)`,
        );
      const body = JSON.stringify({ name: 'stolen', request_token: randomUUID() });
      const json = { 'content-type': 'application/json' };
      expect(await attempt({})).toContain('refused');
      expect(await attempt({ method: 'POST', body, headers: json })).toContain('refused');
      expect(await attempt({ method: 'POST', body, headers: { ...json, 'x-svc-csrf': csrf } })).toContain(
        'refused',
      );
      // What a form could send needs no leave; its reply is not readable, and it changes nothing.
      await attempt({ method: 'POST', body, mode: 'no-cors', headers: { 'content-type': 'text/plain' } });
    } finally {
      await foreign.close();
    }
    const keys = await context.request.get(portalUrl('/api/keys'));
    expect(await keys.text()).not.toContain('stolen');
  });
});

/** Whatever it is put into, it must stay text. */
const MARKUP = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>"'>{{7*7}}`;

describe('text of others', () => {
  it('stays text on every page: names of keys and of providers', async () => {
    const { page, context } = await browser.visit();
    const { csrf_token: csrf } = await signIn(page, buyer);
    const made = await context.request.post(portalUrl('/api/keys'), {
      data: { name: MARKUP.slice(0, 60), request_token: randomUUID() },
      headers: { 'x-svc-csrf': csrf, origin: new URL(portalUrl()).origin },
    });
    expect(made.status()).toBe(201);
    const supplier = new Supplier(market.ready.gateway, market.domain);
    await supplier.register({ name: MARKUP.slice(0, 60) });
    for (const each of PAGES.filter((entry) => !('operatorsOnly' in entry))) {
      await openPortal(page, each.path);
      await settled(page);
      expect(await page.evaluate('window.pwned')).toBeUndefined();
    }
    await openPortal(page, '/keys');
    await page.getByText(MARKUP.slice(0, 60)).first().waitFor();
  });
});

describe('secrets', () => {
  it('stand in no storage that scripts read, no address and no log', async () => {
    const { page, context } = await browser.visit();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    const { csrf_token: csrf } = await signIn(page, buyer);
    const made = await context.request.post(portalUrl('/api/keys'), {
      data: { name: 'secret', request_token: randomUUID() },
      headers: { 'x-svc-csrf': csrf, origin: new URL(portalUrl()).origin },
    });
    const value = /svc_(test|live)_\w{20,}/.exec(await made.text())?.[0] ?? '';
    expect(value).not.toBe('');
    for (const { path } of PAGES.filter((entry) => !('operatorsOnly' in entry))) {
      await openPortal(page, path);
      await settled(page);
    }
    const [cookie] = (await context.cookies()).filter(({ path }) => path === '/portal');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    const token = cookie?.value ?? '';
    const readable = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    );
    for (const secret of [value, token, csrf]) {
      expect(readable).not.toContain(secret);
      expect(addresses.join('\n')).not.toContain(secret);
      expect(logs()).not.toContain(secret);
    }
  });
});

/** Everything that the marketplace's processes have logged. */
function logs(): string {
  const folder = join(dirname(process.env.SVC_E2E_READY ?? ''), 'logs');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}
