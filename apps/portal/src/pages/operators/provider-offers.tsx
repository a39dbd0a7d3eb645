import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { IconPackage } from '@tabler/icons-react';
import { Amount } from '../../design/amount';
import { CopyButton } from '../../design/copy';
import { DataTable } from '../../design/data-table';
import type { Column } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { OfferHealth } from '../../supply/offer-health';
import { OfferStanding } from '../../supply/offer-standing';
import type { Offer } from '../../supply/offer-words';
import { useProvider } from '../../supply/use-provider';
import { certifyOffer, reinstateOffer, suspendOffer } from './acts';
import type { NamedProvider } from './acts';
import { useAct } from './act-context';

interface ProviderOffersProps {
  provider: NamedProvider | undefined;
  onClose: () => void;
}

/** A provider's offers beside the list, with what can be done to each. */
export function ProviderOffers({ provider, onClose }: ProviderOffersProps) {
  return (
    <Drawer
      opened={provider !== undefined}
      onClose={onClose}
      title={provider && `Offers of ${provider.name}`}
      position="right"
      size="xl"
    >
      {provider && <Offers wallet={provider.provider} />}
    </Drawer>
  );
}

function Offers({ wallet }: { wallet: string }) {
  const ask = useAct();
  const { data, error, refetch } = useProvider(wallet);
  return (
    <DataTable
      what="Offers"
      columns={columnsWith(ask)}
      rows={data === null ? [] : data?.offers}
      rowId={({ offer_id }) => offer_id}
      error={error}
      retry={() => void refetch()}
      empty={<EmptyState title="Nothing was offered yet" icon={<IconPackage size={22} />} />}
    />
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
  const isSuspended = offer.reason?.code === 'operator';
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
