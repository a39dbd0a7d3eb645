import { positionOf } from '../../testing/statements.for-spec';
import { positionCard } from '../wallet/position-card';
import type { LatestUsage } from './live.dto';
import { WalletFeed } from './wallet-feed';
import type { Look } from './wallet-feed';

const wallet = `0x${'a1'.repeat(20)}`;
const position = (held: string) => positionCard(positionOf(wallet, { held }));
const usage = (id: string): LatestUsage => ({
  ...{ request_id: id, outcome: 'served', created_at: '2026-11-21T06:00:00.000000Z', model: 'svc/demo@1' },
  ...{ cost_usdc: '0.000001', charged_usdc: '0.000001' },
});

/** A feed whose looks the spec answers, and whose time it passes. */
function setUp() {
  jest.useFakeTimers();
  const looks: { answer: (look: Look) => void; fail: () => void }[] = [];
  const feed = new WalletFeed(
    () =>
      new Promise<Look>((answer, reject) => {
        looks.push({ answer, fail: () => reject(new Error('away')) });
      }),
    2_000,
  );
  const listen = () => {
    const heard: string[] = [];
    const listener = {
      position: ({ held_usdc }: Look['position']) => void heard.push(`held ${held_usdc}`),
      usage: ({ request_id }: LatestUsage) => void heard.push(`usage ${request_id}`),
      away: () => void heard.push('away'),
    };
    feed.add(listener);
    return { heard, leave: () => feed.remove(listener) };
  };
  const answer = async (look: Look) => {
    looks.at(-1)?.answer(look);
    await jest.advanceTimersByTimeAsync(0);
  };
  return { feed, looks, listen, answer, pass: (ms: number) => jest.advanceTimersByTimeAsync(ms) };
}

afterEach(() => jest.useRealTimers());

describe('WalletFeed', () => {
  it('tells what it sees first, and then what has changed', async () => {
    const { listen, answer, pass, looks } = setUp();
    const { heard } = listen();
    await answer({ position: position('1'), usage: undefined });
    expect(heard).toEqual(['held 0.000001']);
    await pass(2_000);
    await answer({ position: position('1'), usage: undefined });
    expect(heard).toHaveLength(1);
    await pass(2_000);
    await answer({ position: position('0'), usage: usage('req_1') });
    await pass(2_000);
    await answer({ position: position('0'), usage: usage('req_2') });
    expect(heard).toEqual(['held 0.000001', 'held 0.000000', 'usage req_1', 'usage req_2']);
    expect(looks).toHaveLength(4);
  });

  it('looks once for all who listen, and tells who joins what was seen last', async () => {
    const { listen, answer, pass, looks } = setUp();
    const [one, two] = [listen(), listen()];
    expect(looks).toHaveLength(1);
    await answer({ position: position('5'), usage: usage('req_1') });
    const three = listen();
    for (const { heard } of [one, two, three]) expect(heard).toEqual(['held 0.000005', 'usage req_1']);
    // It comes with who joined: what changed a moment ago is seen at once.
    expect(looks).toHaveLength(2);
    await answer({ position: position('5'), usage: usage('req_1') });
    await pass(1_999);
    expect(looks).toHaveLength(2);
    await pass(1);
    expect(looks).toHaveLength(3);
  });

  it('never looks twice at the same time, however long one takes', async () => {
    const { listen, pass, looks } = setUp();
    listen();
    await pass(60_000);
    listen();
    expect(looks).toHaveLength(1);
  });

  it('looks no more when nobody listens, and tells who has left nothing', async () => {
    const { feed, listen, answer, pass, looks } = setUp();
    const [one, two] = [listen(), listen()];
    one.leave();
    await answer({ position: position('5'), usage: undefined });
    expect([one.heard, two.heard]).toEqual([[], ['held 0.000005']]);
    two.leave();
    expect(feed.isIdle).toBe(true);
    await pass(60_000);
    expect(looks).toHaveLength(1);
  });

  it('goes on when a look fails', async () => {
    const { listen, answer, pass, looks } = setUp();
    const { heard } = listen();
    looks[0]?.fail();
    await pass(2_000);
    await answer({ position: position('1'), usage: undefined });
    expect(heard).toEqual(['held 0.000001']);
  });

  it('says once when looks begin to fail, and tells all anew when they succeed again', async () => {
    const { listen, answer, pass, looks } = setUp();
    const { heard } = listen();
    await answer({ position: position('1'), usage: usage('req_1') });
    for (let failed = 0; failed < 2; failed++) {
      await pass(2_000);
      looks.at(-1)?.fail();
    }
    const joined = listen();
    await pass(2_000);
    await answer({ position: position('1'), usage: usage('req_1') });
    expect(heard).toEqual(['held 0.000001', 'usage req_1', 'away', 'held 0.000001', 'usage req_1']);
    expect(joined.heard).toEqual(['held 0.000001', 'usage req_1']);
  });
});
