import { Stack, Text } from '@mantine/core';
import { StatusBadge } from '../design/status-badge';
import { isCertifying, progressWords, stateWords } from './offer-words';
import type { Offer } from './offer-words';

/** An offer's state, why it is so in the market's own words, and how far a certification is. */
export function OfferStanding({ offer }: { offer: Offer }) {
  const { tone, label } = stateWords(offer.state);
  const { reason, suspension_reason: suspension, certification } = offer;
  return (
    <Stack gap={2} maw={300}>
      <StatusBadge tone={tone}>{label}</StatusBadge>
      {reason !== undefined && offer.state !== 'expired' && (
        <Text size="xs" c="dimmed" className="breakable">
          {reason.message}
        </Text>
      )}
      {suspension !== undefined && reason?.code !== 'operator' && (
        <Text size="xs" c="dimmed" className="breakable">
          An operator has suspended the offer as well: {suspension}
        </Text>
      )}
      {certification !== undefined && isCertifying(offer) && (
        <Text size="xs" c="dimmed">
          {offer.live_version === null ? '' : `version ${offer.version}: `}
          {progressWords(certification)}
        </Text>
      )}
      {certification?.status === 'refused' && offer.state !== 'refused' && offer.state !== 'withdrawn' && (
        <Text size="xs" c="dimmed">
          The newest version was refused.
        </Text>
      )}
    </Stack>
  );
}
