import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { spread, table } from '../statistics.mjs';

const require = createRequire(import.meta.url);

const WIDE = { width: 1280, height: 900 };
const MOST_KB = 250;
const MOST_MS = 1_500;

export const name = 'portal';
export const title = 'The portal in a browser';
export const about = `A real Chromium, a new one for each load, with nothing cached: from the beginning of the navigation until the page's heading and its first button
in \`main\` stand there and the main thread has taken a task after them, as the page's own clock tells. Bytes are what the scripts and styles took on the
wire, compressed. The browser shares the cores with the marketplace.`;

/** Runs before the page's scripts: notes when what can be clicked stands there and the main thread is free to take a click. */
const WATCH = `window.interactive = new Promise((interactive) => new MutationObserver((_, observer) => {
  if (!document.querySelector('main h1') || !document.querySelector('main button:not(:disabled), main a[href]')) return;
  observer.disconnect();
  setTimeout(() => interactive(performance.now()));
}).observe(document, { childList: true, subtree: true }));`;

export async function run(bench) {
  const { ready } = await bench.market();
  const { chromiumBinary } = require('../../libs/local-servers/dist/index.js');
  const binary = await chromiumBinary();
  const loads = bench.quick ? 3 : 15;
  const state = await signedIn(binary, ready.portal);
  const visits = [
    { title: 'signing in', path: '/' },
    { title: 'Models, signed out', path: '/models' },
    { title: 'Overview, signed in', path: '/', storageState: state },
  ];
  const rows = [];
  for (const visit of visits) {
    const seen = [];
    for (let load = 0; load < loads; load++) seen.push(await coldLoad(binary, ready.portal, visit));
    const figure = { ms: seen.map(({ ms }) => ms), kb: seen.map(({ bytes }) => bytes / 1_000) };
    bench.say(`  ${visit.title}: ${spread(figure.ms)} ms, ${spread(figure.kb)} kB`);
    rows.push({ title: visit.title, ...figure });
  }
  const worst = (field) =>
    rows.toSorted((one, other) => Math.max(...other[field]) - Math.max(...one[field]))[0][field];
  return {
    seconds: `${loads} loads`,
    text: table(
      ['page', 'interactive after, ms', 'scripts and styles, kB'],
      rows.map((row) => [row.title, spread(row.ms), spread(row.kb, 1)]),
    ),
    summary: [
      [
        'portal, cold load: interactive',
        `≤ ${MOST_MS.toLocaleString('en-US')} ms`,
        `${spread(worst('ms'))} ms`,
      ],
      ['portal, cold load: scripts and styles, compressed', `≤ ${MOST_KB} kB`, `${spread(worst('kb'))} kB`],
    ],
  };
}

/** The cookies of somebody who signed in with the first development wallet. */
async function signedIn(binary, portal) {
  const browser = await chromium.launch(binary);
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(portal);
    await page
      .getByRole('button', { name: /development wallet/i })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    return await context.storageState();
  } finally {
    await browser.close();
  }
}

async function coldLoad(binary, portal, { path, storageState }) {
  const browser = await chromium.launch(binary);
  try {
    const page = await (await browser.newContext({ viewport: WIDE, storageState })).newPage();
    await page.addInitScript({ content: WATCH });
    await page.goto(portal.replace(/\/$/, '') + path);
    const ms = await page.evaluate('window.interactive');
    const bytes = await page.evaluate(`performance.getEntriesByType('resource')
      .filter(({ name }) => /\\.(js|css)$/.test(name)).reduce((sum, { transferSize }) => sum + transferSize, 0)`);
    return { ms, bytes };
  } finally {
    await browser.close();
  }
}
