import { Text } from '@mantine/core';
import { showDuration } from '../design/time';
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

export function healthParts(health: Offer['health']): string[] {
  const { error_rate: errors, invalid_rate: invalid } = health;
  const { first_token_ms: firstToken, tokens_per_second: speed } = health;
  return [
    ...(firstToken === undefined ? [] : [`${showDuration(firstToken)} to first token`]),
    ...(speed === undefined ? [] : [`${Math.round(speed)} tokens/s`]),
    ...(errors === undefined ? [] : [`${percent(errors)} errors`]),
    ...(invalid === undefined || invalid === 0 ? [] : [`${percent(invalid)} invalid`]),
  ];
}

/** One decimal unless it is none or all. */
function percent(share: number): string {
  const shown = (share * 100).toFixed(1).replace(/\.0$/, '');
  return `${shown} %`;
}
