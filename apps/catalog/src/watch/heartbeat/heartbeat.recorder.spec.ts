import type { Logger } from '@svc/observability';
import type { PublicationService } from '../../publication/publication.service';
import type { WatchMetrics } from '../watch.metrics';
import type { DueOffer } from './due-heartbeats.store';
import { judgeHeartbeat, MISSES_TO_SUSPEND } from './heartbeat-rules';
import { HeartbeatRecorder } from './heartbeat.recorder';
import type { Heartbeat, HeartbeatStore } from './heartbeat.store';
import { INTERVALS_OF_DOUBT, SilentProviders } from './silent-providers';

const HEARTBEAT_MS = 1_000;
const TICKS = 10;

interface Watched {
  provider: string;
  watchCode: string | null;
  missedHeartbeats: number;
}

/** Offers with an endpoint each, asked once an interval, evenly spread; what the recorder writes of them is judged as the store does. */
class Simulation {
  readonly offers = new Map<string, Watched>();
  /** Endpoints that do not answer. */
  readonly silent = new Set<string>();
  private tick = 0;
  private readonly recorder: HeartbeatRecorder;

  constructor(providers: readonly string[]) {
    for (const [index, provider] of providers.entries()) {
      this.offers.set(`o${index}`, { provider, watchCode: null, missedHeartbeats: 0 });
    }
    const record = (heartbeats: readonly Heartbeat[]) => {
      for (const { offerId, answered } of heartbeats) this.judge(offerId, answered);
      return Promise.resolve([]);
    };
    this.recorder = new HeartbeatRecorder(
      { saw: () => Promise.resolve(), record } as unknown as HeartbeatStore,
      {} as PublicationService,
      { heartbeats: { inc: () => undefined } } as unknown as WatchMetrics,
      { info: () => undefined, warn: () => undefined } as unknown as Logger,
      new SilentProviders(HEARTBEAT_MS),
    );
  }

  async run(intervals: number): Promise<void> {
    for (const end = this.tick + intervals * TICKS; this.tick < end; this.tick++) {
      const nowMs = (this.tick * HEARTBEAT_MS) / TICKS;
      for (const [index, id] of [...this.offers.keys()].entries()) {
        if (index % TICKS === this.tick % TICKS) this.ask(id, nowMs);
      }
      await this.recorder.flush(nowMs);
    }
  }

  suspended(): string[] {
    return [...this.offers].flatMap(([id, { watchCode }]) => (watchCode === null ? [] : [id]));
  }

  private ask(id: string, nowMs: number): void {
    const { provider, missedHeartbeats: missed, watchCode } = this.offers.get(id)!;
    const sound = missed === 0 && watchCode === null;
    const endpoint = `https://${provider}.example:${id}/v1`;
    const offer: DueOffer = {
      id,
      version: 1,
      provider,
      endpoint,
      credential: null,
      missed,
      sound,
      asked: true,
    };
    this.recorder.add([offer], { outcome: this.silent.has(id) ? 'missed' : 'answered' }, nowMs);
  }

  private judge(id: string, answered: boolean): void {
    const offer = this.offers.get(id)!;
    const { effect, missedHeartbeats } = judgeHeartbeat(offer, answered);
    offer.missedHeartbeats = missedHeartbeats;
    if (effect === 'suspend') offer.watchCode = 'no_heartbeat';
    if (effect === 'reinstate') offer.watchCode = null;
  }
}

const each = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);
/** A beat, and those that must be missed. */
const AT_ONCE = MISSES_TO_SUSPEND + 1;

describe('silence', () => {
  it('of one machine with many ports is its own, and nobody else’s cover', async () => {
    const market = new Simulation([...Array.from({ length: 18 }, () => 'many'), 'alive', 'later']);
    for (let port = 0; port < 18; port++) market.silent.add(`o${port}`);
    await market.run(AT_ONCE);
    expect(market.suspended()).toHaveLength(18);
    market.silent.add('o19');
    await market.run(AT_ONCE);
    expect(market.suspended()).toHaveLength(19);
    expect(market.offers.get('o18')).toMatchObject({ watchCode: null, missedHeartbeats: 0 });
  });

  it('of nearly all providers is held against them once it lasts', async () => {
    const market = new Simulation(each(20));
    await market.run(2);
    for (let index = 0; index < 19; index++) market.silent.add(`o${index}`);
    await market.run(AT_ONCE);
    expect(market.suspended()).toEqual([]);
    await market.run(INTERVALS_OF_DOUBT);
    expect(market.suspended()).toHaveLength(19);
    // Whoever answers is back at once.
    market.silent.clear();
    await market.run(1);
    expect(market.suspended()).toEqual([]);
  });

  it.each([1, 2, 3])('of all for %i rounds is ours, however often', async (rounds) => {
    const market = new Simulation(each(20));
    for (let time = 0; time < 3; time++) {
      await market.run(2);
      for (const id of market.offers.keys()) market.silent.add(id);
      await market.run(rounds);
      expect(market.suspended()).toEqual([]);
      market.silent.clear();
    }
  });
});

/** A recorder, what it writes and what it counts. */
function recording() {
  const seen: string[] = [];
  const written: Heartbeat[] = [];
  const counted: Record<string, number> = {};
  const recorder = new HeartbeatRecorder(
    {
      saw: (ids: readonly string[]) => Promise.resolve(void seen.push(...ids)),
      record: (heartbeats: readonly Heartbeat[]) => {
        written.push(...heartbeats);
        return Promise.resolve([]);
      },
    } as unknown as HeartbeatStore,
    {} as PublicationService,
    {
      heartbeats: {
        inc: ({ outcome }: Record<string, string>, by: number) =>
          (counted[outcome!] = (counted[outcome!] ?? 0) + by),
      },
    } as unknown as WatchMetrics,
    { info: () => undefined, warn: () => undefined } as unknown as Logger,
    new SilentProviders(HEARTBEAT_MS),
  );
  return { recorder, seen, written, counted };
}

function due(id: string, missed = 0, provider = 'p'): DueOffer {
  const offer = { version: 1, provider, credential: null, asked: true };
  return { ...offer, id, endpoint: `https://${id}.example/v1`, missed, sound: missed === 0 };
}

describe('HeartbeatRecorder', () => {
  it('writes nothing of whom it could not ask, and counts every heartbeat once', async () => {
    const { recorder, seen, written, counted } = recording();
    recorder.add([due('unasked'), due('unasked too', 2)], { outcome: 'unknown' }, 0);
    recorder.add([due('sound'), due('back', 1)], { outcome: 'answered' }, 0);
    recorder.add([due('busy')], { outcome: 'traffic' }, 0);
    recorder.add([due('silent')], { outcome: 'missed', reason: 'timeout' }, 0);
    for (let time = 0; time < 2; time++) await recorder.flush(0);
    expect(seen).toEqual(['sound', 'busy']);
    expect(written).toEqual([
      { offerId: 'back', version: 1, answered: true },
      { offerId: 'silent', version: 1, answered: false, reason: 'timeout' },
    ]);
    expect(counted).toEqual({ unknown: 2, answered: 2, traffic: 1, missed: 1 });
  });

  it('counts what nobody can be blamed for as unknown, though of each endpoint one offer was given up', async () => {
    const { recorder, written, counted } = recording();
    for (const provider of each(5)) {
      const group = [due('given up', MISSES_TO_SUSPEND, provider), due('served', 0, provider)] as const;
      recorder.add([...group], { outcome: 'missed' }, 0);
    }
    await recorder.flush(0);
    expect([written, counted]).toEqual([[], { unknown: 10 }]);
  });

  it('hears nothing of the others in the silence of whom it gave up', async () => {
    const { recorder, written, counted } = recording();
    for (const provider of each(5)) {
      recorder.add([due('given up', MISSES_TO_SUSPEND, provider)], { outcome: 'missed' }, 0);
    }
    await recorder.flush(0);
    expect([written.length, counted]).toEqual([5, { missed: 5 }]);
  });
});
