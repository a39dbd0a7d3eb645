import { PROVIDER } from '../offer/signed-offer.for-spec';
import { offerStatus } from './offer-status';
import type { OfferRow } from './offer-status';

const now = new Date('2026-11-21T12:00:00Z');
const later = new Date('2026-11-22T00:00:00Z');
const row: OfferRow = {
  offerId: 'ofr_1',
  provider: PROVIDER,
  model: 'svc/tiny@1',
  bundle: 'tiny-q4',
  profile: 'cpu-8k',
  version: 2,
  liveVersion: 1,
  certificationId: 'cert_1',
  certifiedUntil: later,
  withdrawnAt: null,
  providerSuspensionReason: null,
  suspensionReason: null,
  watchCode: null,
  watchReason: null,
  liveExpiresAt: later,
  expiresAt: later,
  livePrices: { inputPricePerMtok: '10', outputPricePerMtok: '20' },
  ceilings: { maxInputPricePerMtok: null, maxOutputPricePerMtok: null },
  inputPricePerMtok: '1',
  outputPricePerMtok: '2',
  concurrency: 3,
  contextLimit: 4,
  lastSeenAt: null,
  newest: {
    certificationId: 'cert_2',
    kind: 'full',
    status: 'running',
    done: 3,
    total: 16,
    refusalProbe: null,
    refusalMessage: null,
  },
};

describe('offerStatus', () => {
  it('tells of the version that serves and of what is being certified', () => {
    expect(offerStatus(row, now)).toEqual({
      offerId: 'ofr_1',
      provider: PROVIDER,
      model: 'svc/tiny@1',
      bundle: 'tiny-q4',
      profile: 'cpu-8k',
      version: 2,
      liveVersion: 1,
      inputPricePerMtok: '1',
      outputPricePerMtok: '2',
      concurrency: 3,
      contextLimit: 4,
      expiresAt: '2026-11-22T00:00:00.000Z',
      state: 'live',
      certificationId: 'cert_1',
      certification: { certificationId: 'cert_2', kind: 'full', status: 'running', done: 3, total: 16 },
      health: {},
    });
  });

  it('tells why it was refused', () => {
    const refused = { refusalProbe: 'plain_text', refusalMessage: 'no reply' };
    const newest = { ...row.newest!, ...refused, status: 'refused' as const };
    const never = { liveVersion: null, certificationId: null, certifiedUntil: null, liveExpiresAt: null };
    const status = offerStatus({ ...row, ...never, newest }, now);
    expect(status).toMatchObject({
      state: 'refused',
      reason: { code: 'plain_text', message: 'no reply' },
      certification: { status: 'refused', refusal: { probe: 'plain_text', message: 'no reply' } },
    });
    expect(status).not.toHaveProperty('certificationId');
  });

  it('tells that the version that serves asks more than operators have come to allow', () => {
    const under = (maxInputPricePerMtok: string | null, maxOutputPricePerMtok: string | null) =>
      offerStatus({ ...row, ceilings: { maxInputPricePerMtok, maxOutputPricePerMtok } }, now);
    expect(under('10', '20').state).toBe('live');
    expect(under(null, '19')).toMatchObject({
      state: 'suspended',
      reason: {
        code: 'price_above_ceiling',
        message:
          'The output price is 20; offers of the model may ask at most 19 (base units per million tokens).',
      },
    });
    expect(under('9', null).reason?.message).toContain('The input price');
    const never = { livePrices: null, liveVersion: null, certifiedUntil: null, liveExpiresAt: null };
    const ceilings = { maxInputPricePerMtok: '0', maxOutputPricePerMtok: '0' };
    expect(offerStatus({ ...row, ...never, ceilings }, now).state).toBe('certifying');
  });

  it('tells of an operator’s suspension, whatever else comes before it', () => {
    const suspended = { ...row, suspensionReason: 'spam' };
    expect(offerStatus(suspended, now)).toMatchObject({
      ...{ state: 'suspended', suspensionReason: 'spam' },
      reason: { code: 'operator', message: 'spam' },
    });
    expect(offerStatus({ ...suspended, providerSuspensionReason: 'fraud' }, now)).toMatchObject({
      ...{ state: 'suspended', suspensionReason: 'spam' },
      reason: { code: 'provider_suspended', message: 'fraud' },
    });
    expect(offerStatus({ ...suspended, withdrawnAt: now }, now)).toMatchObject({
      ...{ state: 'withdrawn', suspensionReason: 'spam' },
    });
    expect(offerStatus(row, now)).not.toHaveProperty('suspensionReason');
  });

  it('tells how the offer is doing', () => {
    const { health } = offerStatus({ ...row, lastSeenAt: now }, now, { errorRate: 0.5 });
    expect(health).toEqual({ lastSeenAt: '2026-11-21T12:00:00.000Z', errorRate: 0.5 });
  });
});
