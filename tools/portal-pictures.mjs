/**
 * Takes README's pictures of the portal into docs/images, of the marketplace that `npm start` runs in another terminal; best a new one
 * (`npm run reset` before). Spends test USDC of the buyer's development wallet.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root, stateDir } from './prepare.mjs';
import { say } from './progress.mjs';

const { chromiumBinary } = createRequire(import.meta.url)('../libs/local-servers/dist/index.js');

const FOLDER = join(root, 'docs/images');
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const KEYS = ['Notebook', 'Production', 'Nightly jobs'];
const MODELS = ['svc/demo-small@1', 'svc/demo-large@1', 'svc/demo-text@1', 'svc/cortex@1'];
const REQUESTS = 60;

const ready = JSON.parse(readFileSync(join(stateDir, 'ready.json'), 'utf8'));
const portal = ready.portal.replace(/\/$/, '');
mkdirSync(FOLDER, { recursive: true });
const browser = await chromium.launch(await chromiumBinary());
try {
  const page = await visitor({ colorScheme: 'light', viewport: WIDE });
  await signIn(page);
  await beginAsNewcomer(page);
  await useKeys(page);
  await visit(page, '/', 'Overview');
  await picture(page, 'portal-overview');
  await visit(page, '/usage', 'Usage');
  await picture(page, 'portal-usage');
  await visit(page, `/usage/${await settledRequest(page)}`, 'Request');
  await picture(page, 'portal-request');

  const dark = await visitor({ colorScheme: 'dark', viewport: WIDE });
  await signIn(dark);
  await visit(dark, '/playground', 'Playground');
  await talk(dark, 'Hello! What is this place?');
  await picture(dark, 'portal-playground-dark');

  const phone = await visitor({ colorScheme: 'light', viewport: PHONE });
  await signIn(phone);
  await visit(phone, '/models', 'Models');
  await picture(phone, 'portal-models-phone');
} finally {
  await browser.close();
}

async function visitor(look) {
  const context = await browser.newContext({ ...look, reducedMotion: 'reduce', locale: 'en-GB' });
  return context.newPage();
}

async function signIn(page) {
  await page.goto(portal);
  await page.getByRole('button', { name: 'Buyer' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

/** The first steps, as far as they are still to be done. */
async function beginAsNewcomer(page) {
  const steps = page.getByRole('region', { name: 'First steps' });
  const faucet = steps.getByRole('button', { name: 'Get 100 test USDC' });
  await page.getByText('Spendable now').waitFor();
  if ((await faucet.count()) === 0) return;
  await faucet.click();
  await steps.getByRole('button', { name: 'Approve USDC' }).click();
  const approval = page.getByRole('dialog', { name: 'How much may the marketplace collect?' });
  await approval.getByRole('button', { name: /^Approve 50/ }).click();
  await approval.getByRole('button', { name: 'Done' }).click();
}

/** Makes keys and spends with them, as programs do. */
async function useKeys(page) {
  const { csrf_token: csrf } = await (await page.request.get(`${portal}/api/session`)).json();
  const headers = { 'x-svc-csrf': csrf, origin: new URL(portal).origin };
  const values = [];
  for (const name of KEYS) {
    const data = { name, budget_usdc: '5.00', budget_reset: 'daily', request_token: randomUUID() };
    const reply = await page.request.post(`${portal}/api/keys`, { data, headers });
    values.push((await reply.json()).value);
  }
  for (let index = 0; index < REQUESTS; index++) {
    await fetch(`${ready.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${values[index % values.length]}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        model: MODELS[index % MODELS.length],
        messages: [{ role: 'user', content: `Tell me about the number ${index}.` }],
        max_tokens: 20 + ((index * 37) % 160),
      }),
    });
  }
}

/** @returns the id of a request of the wallet whose batch is on chain */
async function settledRequest(page) {
  for (;;) {
    const { data } = await (await page.request.get(`${portal}/api/usage?limit=100`)).json();
    const { request_id: id } = data.at(-1);
    const { settlement } = await (await page.request.get(`${portal}/api/usage/${id}`)).json();
    if (settlement.state === 'settled') return id;
    await page.waitForTimeout(1_000);
  }
}

async function visit(page, path, title) {
  await page.goto(portal + path);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
}

async function talk(page, text) {
  const replies = page.getByTestId('reply-cost');
  const before = await replies.count();
  await page.getByRole('textbox', { name: 'Your message' }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await replies.nth(before).waitFor();
}

async function picture(page, name) {
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  say(`  ${path}`);
}
