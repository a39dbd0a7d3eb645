import { CertifiedTermsCache } from './certified-terms';
import type { CertifiedOfferFacts, CertifiedTerms } from './publication.store';

const UNTIL = new Date('2027-01-01T00:00:00Z');
const key = { offerId: 'ofr_a', certificationId: 'cert_a', certifiedUntil: UNTIL, digest: '0xa' };
const facts = (changed: object = {}) => ({ ...key, liveVersion: 1, ...changed }) as CertifiedOfferFacts;

describe('CertifiedTermsCache', () => {
  it.each<[string, object, boolean]>([
    ['the same terms', { version: 2 }, false],
    ['other words, signed', { digest: '0xb' }, true],
    ['the same words, signed again as another version', { liveVersion: 2 }, true],
    ['another certification', { certificationId: 'cert_b' }, true],
    ['the same certification, ended anew', { certifiedUntil: new Date(UNTIL.getTime() + 1) }, true],
  ])('reads %s once more only where something differs', async (_, changed, isRead) => {
    const cache = new CertifiedTermsCache();
    const asked: (readonly string[])[] = [];
    const reader = {
      terms: (ids: readonly string[]) => {
        asked.push(ids);
        return Promise.resolve(ids.map((offerId) => ({ ...key, offerId, version: 1 }) as CertifiedTerms));
      },
    };
    expect(await cache.join([facts()], reader)).toMatchObject([{ terms: { version: 1 } }]);
    await cache.join([facts(changed)], reader);
    expect(asked).toEqual([['ofr_a'], isRead ? ['ofr_a'] : []]);
  });
});
