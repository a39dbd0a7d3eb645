import { MOST_OFFERS_A_REPORT, MOST_WALLET_TAGS } from '@svc/contracts';
import type { HealthReport } from '@svc/contracts';
import { HealthReporter } from './health-reporter.service';
import { OfferTally } from './offer-tally';

/** What a NATS server takes that nobody has configured. */
const USUAL_MAX_PAYLOAD_BYTES = 1024 * 1024;

describe('HealthReporter', () => {
  it('tells of any number of offers, in messages that every server takes', () => {
    jest.useFakeTimers();
    const offers = Array.from({ length: 2 * MOST_OFFERS_A_REPORT + 1 }, (_, index) => {
      const tally = new OfferTally();
      tally.succeeded = tally.firstTokens = tally.tokens = 1_000_000;
      tally.firstTokenMsSum = tally.writingMs = 1e12;
      tally.progressed = true;
      for (let wallet = 0; wallet < MOST_WALLET_TAGS; wallet++) {
        tally.fail({ invalid: true, blamedBy: `${wallet}` });
        tally.claim({ wallet: `${wallet}`, tokens: 1e12, outputBytes: 1e11 });
      }
      return tally.report(`${index}`.padStart(80, 'x'), 512);
    });
    const publish = jest.fn((_subject: string, _payload: string) => undefined);
    const connection = { isClosed: () => false, publish };
    const kept = { keepOnly: () => undefined };
    const reporter = new HealthReporter(
      { connection, instanceId: 'one' } as never,
      { ...kept, report: () => offers } as never,
      {} as never,
      kept as never,
      kept as never,
    );
    reporter.onApplicationBootstrap();
    jest.advanceTimersByTime(1_000);
    reporter.onApplicationShutdown();
    jest.useRealTimers();
    const payloads = publish.mock.calls.map(([, payload]) => payload);
    for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(USUAL_MAX_PAYLOAD_BYTES);
    const parts = payloads.map((payload) => JSON.parse(payload) as HealthReport);
    expect(parts.flatMap((part) => part.offers)).toEqual(offers);
    expect(Math.min(...parts.map((part) => part.offers.length))).toBeGreaterThan(MOST_OFFERS_A_REPORT / 2);
    expect(parts.map(({ continues }) => continues)).toEqual([undefined, true, true]);
  });
});
