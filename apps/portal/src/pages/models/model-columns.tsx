import { Anchor, Group, Stack, Text, Tooltip } from '@mantine/core';
import { Link } from 'react-router';
import { Amount } from '../../design/amount';
import type { Column } from '../../design/data-table';
import { StatusBadge } from '../../design/status-badge';
import { showDuration } from '../../design/time';
import { showShare, showTokens } from './figures';
import { isLive, modelPath, priceOf } from './market-model';
import type { MarketModel } from './market-model';
import { CAPABILITIES, CAPABILITY_WORDS } from './model-filters';

/** What the list shows of a model. */
export const modelColumns: Column<MarketModel>[] = [
  { id: 'model', header: 'Model', cell: (model) => <ModelName model={model} /> },
  {
    ...{ id: 'context', header: 'Context', align: 'right', wideOnly: true },
    cell: ({ svc }) => showTokens(svc.contextLimit),
  },
  { id: 'price', header: <PriceHeader />, align: 'right', cell: (model) => <Prices model={model} /> },
  {
    ...{ id: 'first-token', header: 'First token', align: 'right', wideOnly: true },
    cell: ({ health }) =>
      health.first_token_ms === undefined ? <Unknown /> : showDuration(health.first_token_ms),
  },
  {
    ...{ id: 'errors', header: 'Errors', align: 'right', wideOnly: true },
    cell: ({ health }) => (health.error_rate === undefined ? <Unknown /> : showShare(health.error_rate)),
  },
  { id: 'offers', header: 'Offers', align: 'right', wideOnly: true, cell: offersOf },
];

function ModelName({ model }: { model: MarketModel }) {
  const { capabilities } = model.svc;
  return (
    <Stack gap={4}>
      <Group gap={8}>
        <Anchor component={Link} to={modelPath(model.id)} size="sm" fw={500} className="breakable">
          {model.id}
        </Anchor>
        {!isLive(model) && <StatusBadge tone="quiet">No live offers</StatusBadge>}
        {model.svc.cortex && <StatusBadge tone="busy">Picks among models</StatusBadge>}
        {capabilities.workload === 'embedding' && <StatusBadge tone="quiet">Embeddings</StatusBadge>}
      </Group>
      <Text size="xs" c="dimmed">
        {[
          `by ${model.owned_by}`,
          ...CAPABILITIES.filter((each) => capabilities[each]).map((each) => CAPABILITY_WORDS[each]),
        ].join(' · ')}
      </Text>
    </Stack>
  );
}

function PriceHeader() {
  return (
    <Tooltip
      label="USDC per million tokens, of the cheapest live offer; “up to” is the most that it can be"
      events={{ hover: true, focus: true, touch: true }}
    >
      <span tabIndex={0}>Input / output price</span>
    </Tooltip>
  );
}

function Prices({ model }: { model: MarketModel }) {
  const price = priceOf(model);
  if (!price) return <Unknown />;
  const { pricing, isMost } = price;
  return (
    <Text component="span" inherit style={{ whiteSpace: 'nowrap' }}>
      {isMost && (
        <Text component="span" size="xs" c="dimmed">
          up to{' '}
        </Text>
      )}
      <Amount bare of={{ base: pricing.input_price_per_mtok }} /> /{' '}
      <Amount bare of={{ base: pricing.output_price_per_mtok }} />
    </Text>
  );
}

function offersOf({ live_offers: offers, svc }: MarketModel) {
  if (offers !== undefined) return offers.toLocaleString('en');
  const { candidates } = svc;
  if (candidates === undefined) return <Unknown />;
  return `${candidates.filter(({ available }) => available).length} of ${candidates.length} models`;
}

function Unknown() {
  return (
    <Text component="span" inherit c="dimmed" title="Not known">
      –
    </Text>
  );
}
