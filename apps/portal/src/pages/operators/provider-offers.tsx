import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPackage } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { Address } from '../../design/address-text';
import { Amount } from '../../design/amount';
import { CopyButton } from '../../design/copy';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { StatusBadge } from '../../design/status-badge';
import { When } from '../../design/when';
import { OfferHealth } from '../../supply/offer-health';
import { OfferStanding } from '../../supply/offer-standing';
import type { Offer } from '../../supply/offer-words';
import { useProvider } from '../../supply/use-provider';
import type { Provider } from '../../supply/use-provider';
import { certifyOffer, reinstateOffer, reinstateProvider, suspendOffer, suspendProvider } from './acts';
import { useAct } from './act-context';

/** One provider: its standing, and its offers with what can be done to each. */
export function ProviderOffers() {
  const { wallet = '' } = useParams();
  const ask = useAct();
  const { data, error, refetch } = useProvider(wallet);
  return (
    <Stack>
      <div>
        <Anchor component={Link} to="/operators/providers" size="sm">
          All providers
        </Anchor>
      </div>
      {data && <Heading provider={data} ask={ask} />}
      <DataTable
        what="Offers"
        columns={columnsWith(ask)}
        rows={data?.offers}
        rowId={({ offer_id }) => offer_id}
        error={error}
        retry={() => void refetch()}
        empty={<EmptyState title="Nothing was offered yet" icon={<IconPackage size={22} />} />}
      />
    </Stack>
  );
}

function Heading({ provider, ask }: { provider: Provider; ask: ReturnType<typeof useAct> }) {
  const { suspension } = provider;
  return (
    <Group justify="space-between" align="flex-start">
      <Stack gap={4}>
        <Group gap="xs">
          <Title order={2} className="breakable">
            {provider.name}
          </Title>
          {suspension !== null && <StatusBadge tone="bad">Suspended</StatusBadge>}
        </Group>
        <Text size="sm" c="dimmed" component="div">
          <Address value={provider.provider} />, registered <When at={provider.registered_at} inherit />
        </Text>
        {suspension !== null && (
          <Text size="sm" className="breakable">
            Suspended <When at={suspension.at} inherit />: {suspension.reason}
          </Text>
        )}
      </Stack>
      <Button
        variant="default"
        onClick={() => ask(suspension === null ? suspendProvider(provider) : reinstateProvider(provider))}
      >
        {suspension === null ? 'Suspend provider' : 'Reinstate provider'}
      </Button>
    </Group>
  );
}

function columnsWith(ask: ReturnType<typeof useAct>): Column<Offer>[] {
  return [
    {
      ...{ id: 'offer', header: 'Offer' },
      cell: ({ model, offer_id: id, version, live_version: live, health }) => (
        <Stack gap={0}>
          <Text size="sm" fw={500} className="breakable">
            {model}
          </Text>
          <Group gap={4} wrap="nowrap">
            <Text size="xs" c="dimmed" ff="monospace" className="breakable">
              {id.slice(0, 12)}…
            </Text>
            <CopyButton value={id} label="offer id" />
            <Text size="xs" c="dimmed">
              v{version}
              {live !== null && live !== version && `, v${live} serves`}
            </Text>
          </Group>
          <Text size="xs" c="dimmed" component="div">
            <OfferHealth health={health} />
          </Text>
        </Stack>
      ),
    },
    {
      ...{ id: 'price', header: 'USDC per Mtok', align: 'right', wideOnly: true },
      cell: ({ input_price_per_mtok: input, output_price_per_mtok: output }) => (
        <>
          <Amount of={{ base: input }} bare /> in
          <br />
          <Amount of={{ base: output }} bare /> out
        </>
      ),
    },
    { id: 'standing', header: 'Standing', cell: (offer) => <OfferStanding offer={offer} /> },
    { id: 'acts', header: 'Act', align: 'right', cell: (offer) => <OfferActs offer={offer} ask={ask} /> },
  ];
}

function OfferActs({ offer, ask }: { offer: Offer; ask: ReturnType<typeof useAct> }) {
  // A catalogue of before names it only where nothing else is the reason.
  const isSuspended = offer.suspension_reason !== undefined || offer.reason?.code === 'operator';
  return (
    <Stack gap={6} align="flex-end">
      <Button
        size="xs"
        variant="default"
        onClick={() => ask(isSuspended ? reinstateOffer(offer) : suspendOffer(offer))}
        aria-label={`${isSuspended ? 'Reinstate' : 'Suspend'} the offer of ${offer.model}`}
      >
        {isSuspended ? 'Reinstate' : 'Suspend'}
      </Button>
      {offer.state !== 'withdrawn' && (
        <Button
          size="xs"
          variant="subtle"
          onClick={() => ask(certifyOffer(offer))}
          aria-label={`Certify the offer of ${offer.model} again`}
        >
          Certify
        </Button>
      )}
    </Stack>
  );
}
