import { offerBodyOf } from './offer-body';
import { SUPPLY_TYPES } from './typed-data';

describe('the body of an offer', () => {
  it('has every field that is signed, under its name in snake case, but for those of every act', () => {
    const signed = SUPPLY_TYPES.Offer.Offer.map(({ name }) => name);
    const offer = Object.fromEntries(signed.map((name) => [name, `the ${name}`])) as never;
    const terms = signed.filter((name) => !['provider', 'nonce'].includes(name));
    const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(offerBodyOf(offer)).toEqual(
      Object.fromEntries(terms.map((name) => [snakeCase(name), `the ${name}`])),
    );
  });
});
