import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconPackage, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Amount } from '../../../design/amount';
import { DataTable } from '../../../design/data-table';
import type { Column } from '../../../design/data-table';
import { EmptyState } from '../../../design/empty-state';
import { When } from '../../../design/when';
import { OfferHealth } from '../../../supply/offer-health';
import { OfferStanding } from '../../../supply/offer-standing';
import type { Offer } from '../../../supply/offer-words';
import type { Provider } from '../../../supply/use-provider';
import { OfferActs } from './offer-acts';

/** The wallet's offers; those withdrawn are shown when asked for. */
export function OffersTab({ provider }: { provider: Provider }) {
  const [showsWithdrawn, setShowsWithdrawn] = useState(false);
  const standing = provider.offers.filter(({ state }) => state !== 'withdrawn');
  const withdrawn = provider.offers.length - standing.length;
  const shown = showsWithdrawn ? provider.offers : standing;
  const make = (
    <Button component={Link} to="/provide/offers/new" leftSection={<IconPlus size={16} />}>
      New offer
    </Button>
  );
  return (
    <Stack>
      {shown.length > 0 && <Group justify="flex-end">{make}</Group>}
      <DataTable
        what="Your offers"
        columns={COLUMNS}
        rows={shown}
        rowId={({ offer_id }) => offer_id}
        empty={
          <EmptyState
            title={withdrawn > 0 ? 'No offer on the market' : 'No offer yet'}
            icon={<IconPackage size={22} />}
            action={make}
          >
            An offer says which model you serve, where, and at what price. You sign it in your wallet; then it
            is tested.
          </EmptyState>
        }
      />
      {withdrawn > 0 && (
        <Group justify="center">
          <Button variant="subtle" size="xs" onClick={() => setShowsWithdrawn(!showsWithdrawn)}>
            {showsWithdrawn ? 'Hide withdrawn offers' : `Show ${withdrawn} withdrawn`}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

const COLUMNS: Column<Offer>[] = [
  {
    ...{ id: 'model', header: 'Offer' },
    cell: (offer) => (
      <Stack gap={0}>
        <Anchor
          component={Link}
          to={`/provide/offers/${offer.offer_id}`}
          size="sm"
          fw={500}
          py={2}
          display="block"
          className="breakable"
        >
          {offer.model}
        </Anchor>
        <Text size="xs" c="dimmed">
          {versionWords(offer)}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <OfferHealth health={offer.health} />
        </Text>
      </Stack>
    ),
  },
  { id: 'state', header: 'State', cell: (offer) => <OfferStanding offer={offer} /> },
  {
    ...{ id: 'price', header: 'USDC per million tokens', align: 'right', wideOnly: true },
    cell: ({ input_price_per_mtok: input, output_price_per_mtok: output }) => (
      <>
        <Amount of={{ base: input }} bare /> in
        <br />
        <Amount of={{ base: output }} bare /> out
      </>
    ),
  },
  {
    ...{ id: 'expires', header: 'Ends', wideOnly: true },
    cell: ({ expires_at: at, state }) => (state === 'withdrawn' ? '–' : <When at={at} />),
  },
  { id: 'acts', header: 'Change', align: 'right', cell: (offer) => <OfferActs offer={offer} /> },
];

/** `version 3, live`, `version 3; version 2 serves`. */
function versionWords({ version, live_version: live, state }: Offer): string {
  if (live === null || state !== 'live' || live === version) return `version ${version}`;
  return `version ${version}; version ${live} serves`;
}
