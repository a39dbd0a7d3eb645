import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromiumBinary, workspaceRoot } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Locator, Page, Route } from 'playwright-core';
import { readReady } from '../stack/marketplace';
import { Complaints } from './complaints';

/** Longer than anything in the page takes on a busy machine; far less than a test's own time. */
const PATIENCE_MS = 45_000;
/** What stands in the clipboard before something is copied. */
const NOTHING_COPIED = 'nothing was copied yet';
/** Notes, before the page hears of it, that somebody has clicked "Try again". */
const NOTE_TRIES = `addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('button')?.textContent.includes('Try again')) window.isTriedAgain = true;
}, true)`;
/** React puts off through message ports what need not be drawn at once. */
const PUT_OFF = `{
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (...message) {
    setTimeout(() => postMessage.apply(this, message), 300);
  };
}`;
const HEIGHTS = { 1280: 900, 768: 1024, 390: 844 };

export interface VisitOptions {
  theme?: 'light' | 'dark';
  width?: keyof typeof HEIGHTS;
  /** What this visitor's console may say, beside nothing. */
  expected?: RegExp[];
}

/** One person's browser: cookies, storage and pages of its own. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Every console error, page error and breach of the content security policy; the test fails if any is left. */
  complaints: Complaints;
}

/** A Chromium for a spec file; a test opens visitors, and they leave when it ends. */
class PortalBrowser {
  private browser: Browser | undefined;
  private readonly visitors: Visitor[] = [];

  async launch(): Promise<void> {
    const { executablePath, env } = await chromiumBinary();
    this.browser = await chromium.launch({ executablePath, env });
  }

  async visit({ theme = 'light', width = 1280, expected = [] }: VisitOptions = {}): Promise<Visitor> {
    if (!this.browser) throw new Error('the browser is not launched: call usePortalBrowser() in the file');
    const context = await this.browser.newContext({
      colorScheme: theme,
      viewport: { width, height: HEIGHTS[width] },
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const complaints = new Complaints(context, expected);
    const visitor = { context, page: await context.newPage(), complaints };
    this.visitors.push(visitor);
    return visitor;
  }

  /** The visitors leave. @throws Error with what their consoles said */
  async leave(): Promise<void> {
    const left = this.visitors.splice(0);
    // What a route is at work on ends with its page, and that is nobody's fault. Not waited for: it may wait for the route's answer.
    for (const page of left.flatMap(({ context }) => context.pages()))
      page.unrouteAll({ behavior: 'ignoreErrors' }).catch(() => undefined);
    await Promise.all(left.map(({ context }) => context.close()));
    const said = left.flatMap(({ complaints }) => complaints.unexpected());
    if (said.length > 0) throw new Error(`the page complained:\n${said.join('\n')}`);
  }

  async close(): Promise<void> {
    await this.browser?.close();
  }
}

/** For the top of a spec file: launches once, and after each test looks at what the consoles said. */
export function usePortalBrowser(): PortalBrowser {
  const browser = new PortalBrowser();
  beforeAll(() => browser.launch());
  afterEach(() => browser.leave());
  afterAll(() => browser.close());
  return browser;
}

/** The address of a page of the portal, e.g. `/keys`. */
export function portalUrl(path = '/'): string {
  const { gateway, portal } = readReady();
  return `${(portal ?? `${gateway}/portal`).replace(/\/$/, '')}${path}`;
}

/** Goes to a page of the portal and waits until its heading is there. */
export async function openPortal(page: Page, path = '/'): Promise<void> {
  await page.goto(portalUrl(path));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
}

/** From its next load on the page is late with all that it does not do at once, as on a machine that is slow. */
export async function slowDown(page: Page): Promise<void> {
  await page.addInitScript(PUT_OFF);
}

/** Waits until nothing on the page says that it is still loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await eventually(async () => (await page.locator('[aria-busy="true"]').count()) === 0, {
    timeoutMs: PATIENCE_MS,
  });
}

/** Waits until the focus is there: a dialog takes it, and gives it back, a moment after it comes and goes. */
export async function focusOn(place: Locator): Promise<void> {
  await place.and(place.page().locator(':focus')).waitFor();
}

/** Clicks what copies. @returns what it copied: it does that some time after the click */
export async function copiedBy(button: Locator): Promise<string> {
  const page = button.page();
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(NOTHING_COPIED)})`);
  await button.click();
  return eventually(async () => {
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    return text === NOTHING_COPIED ? undefined : text;
  });
}

/**
 * Refuses what the page asks there, from its next load on until "Try again" is clicked. The page asks by itself as well, at times of its
 * own: would that bring something, the button could be gone when it is to be clicked.
 */
export async function refuseUntilTriedAgain(
  page: Page,
  url: string | RegExp,
  refusal: Parameters<Route['fulfill']>[0],
): Promise<void> {
  await page.addInitScript(NOTE_TRIES);
  await page.route(url, async (route) => {
    // A page on its way to another address has nobody to say it.
    const isTriedAgain = await page.evaluate<boolean>('window.isTriedAgain === true').catch(() => false);
    if (isTriedAgain) await route.continue();
    else await route.fulfill(refusal);
  });
}

/**
 * Holds back what the page asks there, as a slow marketplace would.
 * @returns what lets it go
 */
export async function holdBack(page: Page, url: string | RegExp, method = 'GET'): Promise<() => void> {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route(url, async (route) => {
    if (route.request().method() === method) await held;
    await route.continue();
  });
  return letGo;
}

/** The whole page as a picture in `.local/screenshots`, for eyes. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = join(workspaceRoot, '.local/screenshots');
  mkdirSync(folder, { recursive: true });
  // What is fixed to the window would otherwise stand somewhere in the middle.
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
