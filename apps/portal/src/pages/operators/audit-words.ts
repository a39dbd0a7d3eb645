const WORDS: Record<string, string> = {
  'provider.register': 'registered',
  'provider.rename': 'changed name or contact',
  'provider.suspend': 'suspended the provider',
  'provider.reinstate': 'reinstated the provider',
  'offer.submit': 'signed a version',
  'offer.withdraw': 'withdrew the offer',
  'offer.live': 'put the offer on the market',
  'offer.refused': 'refused the offer',
  'offer.suspend': 'suspended the offer',
  'offer.reinstate': 'reinstated the offer',
  'offer.certify': 'had the offer certified',
  'offer.suspended': 'took the offer off the market',
  'offer.reinstated': 'let the offer back',
  'wallet.suspend': 'suspended the wallet',
  'wallet.reinstate': 'reinstated the wallet',
  'settlement.pause': 'paused',
  'settlement.resume': 'resumed',
};

/** What operators define, as the trail calls it. */
const DEFINED: Record<string, string> = { managed: 'managed vendor', routing: 'routing model' };
const DEFINING: Record<string, string> = { define: 'defined', redefine: 'redefined', retire: 'retired' };

/** An act in words: `model.define` is "defined the model"; what this page does not know is shown as it is. */
export function describeAction(action: string): string {
  const [noun = '', verb = ''] = action.split('.');
  const defined = DEFINING[verb];
  if (defined !== undefined) return `${defined} the ${DEFINED[noun] ?? noun}`;
  return WORDS[action] ?? action;
}
