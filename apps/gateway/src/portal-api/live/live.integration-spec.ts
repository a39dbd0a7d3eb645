import { connect } from 'node:net';
import { billingContracts } from '@svc/contracts';
import type { StatementPosition } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import { eventually } from '@svc/testing';
import { ShutdownState } from '../../http/shutdown-state';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';
import { positionOf, usageLine } from '../../testing/statements.for-spec';
import { SessionsService } from '../sessions/sessions.service';
import { LiveStreams } from './live-streams.service';
import {
  KEEP_ALIVE_MS,
  MOST_STREAMS,
  MOST_STREAMS_PER_ADDRESS,
  MOST_STREAMS_PER_SESSION,
} from './live-terms';
import { WalletFeeds } from './wallet-feeds.service';

const wallet = `0x${'a1'.repeat(20)}`;
const EVERYTHING_BUT_INTERVALS = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
  ...(['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout'] as const),
];
const harness = new GatewayHarness();
let billing: FakeService;
let position: StatementPosition;
let isAway = false;
let newest: string | undefined;
/** As it stood when a look at the wallet began. */
let newestAtLook: string | undefined;

beforeAll(async () => {
  await harness.start();
  billing = new FakeService((await harness.nats.connectAs('billing')).connection);
  // A look asks both questions at once, this one first. What changes between them would be told in the other order.
  await billing.answer(billingContracts.showPosition, ({ wallet: of }) => {
    if (isAway) return noCapacity('Billing is away.');
    newestAtLook = newest;
    return { ...position, wallet: of };
  });
  await billing.answer(billingContracts.listUsage, () => ({
    lines: newestAtLook === undefined ? [] : [usageLine(newestAtLook, '5')],
    next: null,
  }));
});
afterAll(() => harness.stop());

const openStreams = () => harness.app.get<unknown, { open: Set<object> }>(LiveStreams).open;

beforeEach(async () => {
  position = positionOf(wallet);
  newest = undefined;
  // The pages of the test before count for the address until the gateway has noticed that they left.
  await eventually(() => openStreams().size === 0);
});

/** A page that watches. */
class Watcher {
  readonly text: string[] = [];
  ended = false;

  private constructor(
    readonly reply: Response,
    private readonly abort: AbortController,
  ) {
    void this.read();
  }

  static async open(visitor: PortalVisitor): Promise<Watcher> {
    const abort = new AbortController();
    return new Watcher(await visitor.get('/live', { signal: abort.signal }), abort);
  }

  /** Names and data of the events so far. */
  get events(): [string, Record<string, unknown>][] {
    return [...this.text.join('').matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(
      ([, name = '', data = '']) => [name, JSON.parse(data) as Record<string, unknown>],
    );
  }

  leave(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    try {
      const decoder = new TextDecoder();
      for await (const chunk of this.reply.body ?? []) this.text.push(decoder.decode(chunk as Uint8Array));
    } catch {
      // It left, or was cut off.
    }
    this.ended = true;
  }
}

describe('what changes for a wallet', () => {
  it('is told at once, and again when it changes', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const watcher = await Watcher.open(visitor);
    expect(watcher.reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(watcher.reply.headers.get('cache-control')).toBe('no-store, no-transform');
    await eventually(() => watcher.events.length === 1);
    expect(watcher.events[0]).toEqual([
      'position',
      expect.objectContaining({ wallet, spendable_usdc: '8.500000' }),
    ]);
    position = { ...position, posted: '700005', held: '0' };
    newest = 'req_1';
    await eventually(() => watcher.events.length === 3);
    expect(watcher.events.slice(1)).toEqual([
      ['position', expect.objectContaining({ held_usdc: '0.000000', charged_usdc: '0.700005' })],
      [
        'usage',
        {
          ...{
            request_id: 'req_1',
            outcome: 'served',
            created_at: '2026-11-21T06:00:00.000001Z',
            model: 'svc/demo@1',
          },
          ...{ cost_usdc: '0.000005', charged_usdc: '0.700005' },
        },
      ],
    ]);
    watcher.leave();
  });

  it('is said to be unknown while nobody can tell, and told anew after that', async () => {
    const watcher = await Watcher.open(await PortalVisitor.signedIn(harness, wallet));
    await eventually(() => watcher.events.length === 1);
    isAway = true;
    await eventually(() => watcher.events.length === 2);
    isAway = false;
    await eventually(() => watcher.events.length === 3);
    expect(watcher.events.slice(1)).toEqual([['away', {}], watcher.events[0]]);
    watcher.leave();
  });

  it('is looked at once for all tabs, for each wallet its own, and for nobody not at all', async () => {
    const [one, two] = [
      await PortalVisitor.signedIn(harness, wallet),
      await PortalVisitor.signedIn(harness, `0x${'b2'.repeat(20)}`),
    ];
    const tabs = [await Watcher.open(one), await Watcher.open(one), await Watcher.open(two)];
    await eventually(() => tabs.every(({ events }) => events.length > 0));
    expect(tabs.map(({ events }) => events[0]?.[1].wallet)).toEqual([wallet, wallet, `0x${'b2'.repeat(20)}`]);
    const { feeds } = harness.app.get<unknown, { feeds: Map<string, object> }>(WalletFeeds);
    await eventually(() => feeds.size === 2);
    for (const tab of tabs) tab.leave();
    await eventually(() => feeds.size === 0);
  });

  it('is for a session, so many times and no more', async () => {
    expect((await fetch(`${harness.url}/portal/api/live`)).status).toBe(401);
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const tabs = await Promise.all(
      Array.from({ length: MOST_STREAMS_PER_SESSION }, () => Watcher.open(visitor)),
    );
    const refused = await visitor.get('/live');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_request' } });
    // Another session of the same wallet is not kept out.
    const elsewhere = await Watcher.open(await PortalVisitor.signedIn(harness, wallet));
    expect(elsewhere.reply.status).toBe(200);
    tabs[0]?.leave();
    await eventually(async () => {
      const again = await Watcher.open(visitor);
      const { ok } = again.reply;
      again.leave();
      return ok;
    });
    for (const tab of [...tabs, elsewhere]) tab.leave();
  });

  it('is for an address so many times, however many wallets it has', async () => {
    const tabs: Watcher[] = [];
    for (let at = 0; at < MOST_STREAMS_PER_ADDRESS; at++) {
      const one = `0x${at.toString(16).padStart(40, '0')}`;
      tabs.push(await Watcher.open(await PortalVisitor.signedIn(harness, one)));
    }
    expect(tabs.map(({ reply }) => reply.status)).toEqual(tabs.map(() => 200));
    const refused = await (await PortalVisitor.signedIn(harness, wallet)).get('/live');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    for (const tab of tabs) tab.leave();
    await eventually(() => openStreams().size === 0);
  });

  it('is for so many pages in all, whosever they are', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const open = openStreams();
    const stream = { keepAlive: () => undefined, end: () => undefined };
    for (let at = 0; at < MOST_STREAMS; at++) {
      open.add({ session: { wallet, sessionId: `s${at}`, isOperator: false }, address: `a${at}`, stream });
    }
    const refused = await visitor.get('/live');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await refused.json()).toMatchObject({ error: { code: 'no_capacity' } });
    open.clear();
    const watcher = await Watcher.open(visitor);
    expect(watcher.reply.status).toBe(200);
    watcher.leave();
  });

  it('is not begun for who asks for the headers only', async () => {
    const { headers } = await PortalVisitor.signedIn(harness, wallet);
    const reply = await fetch(`${harness.url}/portal/api/live`, { method: 'HEAD', headers });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    await eventually(() => openStreams().size === 0);
  });

  it('ends with the session, and says meanwhile that it lives', async () => {
    const [leaving, staying] = [
      await PortalVisitor.signedIn(harness, wallet),
      await PortalVisitor.signedIn(harness, wallet),
    ];
    const [ends, lives] = [await Watcher.open(leaving), await Watcher.open(staying)];
    expect((await leaving.send('DELETE', '/session')).status).toBe(204);
    await harness.app.get(LiveStreams).look();
    await eventually(() => ends.ended && lives.text.join('').includes(': keep-alive\n\n'));
    expect(lives.ended).toBe(false);
    await harness.app.get(SessionsService).endAll(wallet);
    await harness.app.get(LiveStreams).look();
    await eventually(() => lives.ended);
  });

  it('says by itself, now and then, that the stream lives', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    jest.useFakeTimers({ doNotFake: EVERYTHING_BUT_INTERVALS });
    try {
      const watcher = await Watcher.open(visitor);
      await eventually(() => watcher.events.length === 1);
      for (const times of [1, 2]) {
        jest.advanceTimersByTime(KEEP_ALIVE_MS);
        await eventually(() => watcher.text.join('').split(': keep-alive\n\n').length === times + 1);
      }
      watcher.leave();
      await eventually(() => openStreams().size === 0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is not kept for a reader that does not read', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const { port, hostname } = new URL(harness.url);
    const socket = connect(Number(port), hostname);
    const { cookie, origin } = visitor.headers;
    socket.write(
      `GET /portal/api/live HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\norigin: ${origin}\r\n\r\n`,
    );
    socket.pause();
    await eventually(() => openStreams().size === 1);
    const [{ stream }] = [...openStreams()] as [{ stream: { event: (name: string, value: object) => void } }];
    const much = { text: 'x'.repeat(256 * 1024) };
    for (let event = 0; event < 1_000 && openStreams().size > 0; event++) {
      stream.event('position', much);
      await new Promise(setImmediate);
    }
    await eventually(() => openStreams().size === 0);
    socket.destroy();
  });

  it('ends when the gateway leaves, and is begun there no more', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const watcher = await Watcher.open(visitor);
    harness.app.get(ShutdownState).leave();
    await eventually(() => watcher.ended);
    const late = await visitor.get('/live');
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await late.json()).toMatchObject({ error: { code: 'no_capacity' } });
    await harness.stopGateway();
  });
});
