import { Text } from '@mantine/core';
import { healthParts } from './offer-words';
import type { Offer } from './offer-words';

/** How an offer has been doing of late, as far as it is known. */
export function OfferHealth({ health }: Pick<Offer, 'health'>) {
  const parts = healthParts(health);
  if (parts.length === 0) {
    return (
      <Text component="span" inherit c="dimmed">
        no traffic yet
      </Text>
    );
  }
  return <span className="figures">{parts.join(' · ')}</span>;
}
