import { Anchor, Box, Stack, Text, Title } from '@mantine/core';
import { IconPlugOff } from '@tabler/icons-react';
import { useState } from 'react';
import { Address } from '../../design/address-text';
import { Amount } from '../../design/amount';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { showDuration } from '../../design/time';
import { When } from '../../design/when';
import { showShare, showSpeed, showTokens } from './figures';
import { useOffers } from './market';
import { certifiedFor } from './market-model';
import type { MarketOffer } from './market-model';
import { pageStart, pagingOf } from './offers-paging';

/** Who sells the model. */
export function OffersTable({ model }: { model: string }) {
  const [offset, setOffset] = useState(0);
  const { data, error, refetch, isPlaceholderData } = useOffers(model, offset);
  const start = data && !isPlaceholderData ? pageStart(offset, data.live_offers) : offset;
  if (start !== offset) setOffset(start);
  return (
    <Stack gap="sm" component="section" aria-labelledby="offers">
      <Title order={2} id="offers">
        Live offers
      </Title>
      <DataTable
        what="The live offers"
        columns={columns}
        rows={data?.data}
        rowId={({ offer_id }) => offer_id}
        error={error}
        retry={() => void refetch()}
        refreshing={isPlaceholderData}
        paging={data && pagingOf(offset, data.live_offers, setOffset)}
        empty={
          <EmptyState title="No live offers" icon={<IconPlugOff />}>
            No provider sells this model at the moment.
          </EmptyState>
        }
      />
    </Stack>
  );
}

const columns: Column<MarketOffer>[] = [
  { id: 'provider', header: 'Provider', cell: (offer) => <Provider offer={offer} /> },
  {
    ...{ id: 'prices', header: 'Input / output', align: 'right' },
    cell: (offer) => (
      <Text component="span" inherit style={{ whiteSpace: 'nowrap' }}>
        <Amount bare of={{ base: offer.input_price_per_mtok }} /> /{' '}
        <Amount bare of={{ base: offer.output_price_per_mtok }} />
      </Text>
    ),
  },
  {
    ...{ id: 'sizes', header: 'Context', align: 'right', wideOnly: true },
    cell: (offer) => (
      <>
        {showTokens(offer.context_limit)}
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {offer.concurrency} at once
        </Text>
      </>
    ),
  },
  {
    id: 'health',
    header: 'Health',
    align: 'right',
    wideOnly: true,
    cell: (offer) => <Health offer={offer} />,
  },
  {
    ...{ id: 'certification', header: 'Certification', wideOnly: true },
    cell: (offer) => <Certification offer={offer} />,
  },
];

/** A provider's name is its own words: text, and nothing that the market vouches for. */
function Provider({ offer }: { offer: MarketOffer }) {
  return (
    <Stack gap={2}>
      <Text size="sm" fw={500} className="breakable">
        {offer.provider_name}
      </Text>
      <Text size="xs" component="span">
        <Address value={offer.provider} />
      </Text>
      <Text size="xs" c="dimmed" className="breakable">
        {buildOf(offer)}
      </Text>
      <Box hiddenFrom="md">
        <Health offer={offer} />
        <Certification offer={offer} />
      </Box>
    </Stack>
  );
}

function Health({ offer: { health } }: { offer: MarketOffer }) {
  const { error_rate: errors, first_token_ms: first, tokens_per_second: speed, last_seen_at: seen } = health;
  const figures = [
    first === undefined ? undefined : `first token ${showDuration(first)}`,
    speed === undefined ? undefined : showSpeed(speed),
    errors === undefined ? undefined : `${showShare(errors)} failed`,
  ].filter((figure) => figure !== undefined);
  return (
    <>
      <Text size="xs">{figures.length > 0 ? figures.join(' · ') : 'No requests lately'}</Text>
      {seen !== undefined && (
        <Text size="xs" c="dimmed">
          Answered <When at={seen} />
        </Text>
      )}
    </>
  );
}

function Certification({ offer }: { offer: MarketOffer }) {
  return (
    <>
      <Anchor
        href={`/v1/certifications/${encodeURIComponent(offer.certification_id)}`}
        target="_blank"
        rel="noreferrer"
        size="sm"
      >
        Report
      </Anchor>
      <Text size="xs" c="dimmed">
        {certifiedFor(offer)}
      </Text>
    </>
  );
}

function buildOf({ engine, quantisation, hardware_class: hardware, speed_tier: tier }: MarketOffer): string {
  return [engine, quantisation === 'none' ? '' : quantisation, hardware, tier]
    .filter((word) => word !== '')
    .join(' · ');
}
