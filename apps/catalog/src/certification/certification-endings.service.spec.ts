import type { PrismaClient } from '@svc/persistence';
import { healthOf } from '../watch/health/offer-health.for-spec';
import { OfferHealthView } from '../watch/health/offer-health.view';
import { CertificationEndings } from './certification-endings.service';

const DATABASE_MS = 1_700_000_000_000;

describe('whether clients are served since a run began', () => {
  afterEach(() => jest.restoreAllMocks());

  it('is told by when that was, however long the database was waited for to tell the time', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const $queryRaw = () => {
      clock.mockReturnValue(5_000);
      return Promise.resolve([{ nowMs: DATABASE_MS }]);
    };
    const health = new OfferHealthView();
    const endings = new CertificationEndings(
      { $queryRaw } as unknown as PrismaClient,
      {} as never,
      {} as never,
      {} as never,
      health,
    );
    const served = (atMs: number) => health.record(healthOf('offer', { succeeded: 1 }), atMs);
    served(3_999);
    const isServed = await endings.clientsSince('offer', new Date(DATABASE_MS - 1_000));
    expect(isServed()).toBe(false);
    served(4_001);
    expect(isServed()).toBe(true);
  });
});
