import type { OfferReply } from '../market/market-replies';
import { describeOutcome } from './certification-words';

const message = 'Asked for a short text, no connection could be made.';
const offer: OfferReply = {
  ...{ offer_id: 'ofr_1', model: 'svc/tiny@1', bundle: 'b', profile: 'p', version: 2, live_version: 1 },
  ...{ input_price_per_mtok: '1', output_price_per_mtok: '1', concurrency: 1, context_limit: 100 },
  ...{ expires_at: '2026-11-28T00:00:00.000Z', state: 'live', health: {} },
  certification: {
    ...{ certification_id: 'cert_1', kind: 'full', status: 'refused', done: 1, total: 1 },
    refusal: { probe: 'plain_text', message },
  },
};
const outcome = { followed: { name: 'first', offerId: 'ofr_1', version: 2 }, result: 'refused' as const };

describe('describeOutcome', () => {
  it('says in sentences what was refused, and that the version before serves on', () => {
    expect(describeOutcome({ ...outcome, offer })).toBe(
      `first: refused by the probe "plain_text": ${message} Version 1 goes on serving.`,
    );
  });

  it('says no more than the reason where no version serves', () => {
    expect(describeOutcome({ ...outcome, offer: { ...offer, state: 'refused', live_version: null } })).toBe(
      `first: refused by the probe "plain_text": ${message}`,
    );
  });
});
