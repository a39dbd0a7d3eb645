const WORDS: Record<string, string> = {
  'provider.register': 'registered',
  'provider.rename': 'changed name or contact',
  'provider.suspend': 'suspended the provider',
  'provider.reinstate': 'reinstated the provider',
  'offer.submit': 'signed a version',
  'offer.withdraw': 'withdrew the offer',
  'offer.live': 'went live',
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

/** An act in words: `model.define` is "defined the model"; what this page does not know is shown as it is. */
export function describeAction(action: string): string {
  const [noun = '', verb] = action.split('.');
  if (verb === 'define') return `defined the ${noun.replaceAll('_', ' ')}`;
  return WORDS[action] ?? action;
}
