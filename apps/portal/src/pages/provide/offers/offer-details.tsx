import { Alert, Anchor, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { Amount } from '../../../design/amount';
import { CopyButton } from '../../../design/copy';
import { NotFoundPage } from '../../../design/not-found-page';
import { PageHeader } from '../../../design/page-header';
import { StatusBadge } from '../../../design/status-badge';
import { When } from '../../../design/when';
import { OfferHealth } from '../../../supply/offer-health';
import { reasonWords, stateWords } from '../../../supply/offer-words';
import type { Offer } from '../../../supply/offer-words';
import type { Provider } from '../../../supply/use-provider';
import { CertificationReport } from '../certification/certification-report';
import { OfferActs } from './offer-acts';

/** One offer: how it stands, its terms, and the tests it went through. */
export default function OfferDetails({ provider }: { provider: Provider }) {
  const { offerId = '' } = useParams();
  const offer = provider.offers.find(({ offer_id }) => offer_id === offerId);
  if (!offer) return <NotFoundPage />;
  const newest = offer.certification?.certification_id;
  return (
    <>
      <Anchor component={Link} to="/provide" size="sm">
        All offers
      </Anchor>
      <PageHeader
        title={`Offer of ${offer.model}`}
        description={<Summary offer={offer} />}
        actions={<OfferActs offer={offer} />}
      />
      <Stack gap="xl">
        <Reason offer={offer} />
        <Facts offer={offer} />
        {newest !== undefined && <CertificationReport key={newest} id={newest} offer={offer} />}
        {offer.certification_id !== undefined && offer.certification_id !== newest && (
          <Text size="sm" c="dimmed">
            Version {offer.live_version} serves with{' '}
            <Anchor href={`/v1/certifications/${offer.certification_id}`} target="_blank" rel="noreferrer">
              an earlier report
            </Anchor>
            .
          </Text>
        )}
      </Stack>
    </>
  );
}

function Summary({ offer }: { offer: Offer }) {
  const { tone, label } = stateWords(offer.state);
  const { version, live_version: live } = offer;
  return (
    <Group gap="xs" component="span">
      <StatusBadge tone={tone}>{label}</StatusBadge>
      <span>
        version {version}
        {live !== null && live !== version && `; version ${live} serves meanwhile`}
      </span>
    </Group>
  );
}

/** Why it does not serve, and what ends that. A refusal is told with its probe, below. */
function Reason({ offer: { reason, state } }: { offer: Offer }) {
  if (reason === undefined || state === 'refused') return null;
  const words = reasonWords(reason.code);
  return (
    <Alert color="yellow" variant="light" icon={<IconInfoCircle />} title="Why it does not serve">
      {words !== undefined && <Text size="sm">{words}</Text>}
      {reason.code !== 'expired' && (
        <Text size="sm" c={words === undefined ? undefined : 'dimmed'} className="breakable">
          {reason.message}
        </Text>
      )}
    </Alert>
  );
}

function Facts({ offer }: { offer: Offer }) {
  const facts: [string, ReactNode][] = [
    ['Input, per million tokens', <Amount key="input" of={{ base: offer.input_price_per_mtok }} />],
    ['Output, per million tokens', <Amount key="output" of={{ base: offer.output_price_per_mtok }} />],
    ['Ends', <When key="ends" at={offer.expires_at} />],
    ['Requests at once', offer.concurrency],
    ['Context', `${offer.context_limit.toLocaleString('en')} tokens`],
    ['Answered last', <When key="seen" at={offer.health.last_seen_at ?? null} />],
    ['Build', <Id key="build" id={offer.bundle} what="build id" />],
    ['Profile', <Id key="profile" id={offer.profile} what="profile id" />],
    ['Offer', <Id key="offer" id={offer.offer_id} what="offer id" />],
  ];
  return (
    <section aria-labelledby="offer-terms">
      <Title order={2} id="offer-terms" mb="sm">
        Terms and health
      </Title>
      <Text size="sm" mb="sm" component="div">
        <OfferHealth health={offer.health} />
      </Text>
      <SimpleGrid component="dl" cols={{ base: 2, sm: 3 }} m={0} spacing="md">
        {facts.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} className="figures">
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </section>
  );
}

function Id({ id, what }: { id: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap" component="span" display="inline-flex">
      <Text component="span" inherit ff="monospace" className="breakable" title={id}>
        {id.length > 16 ? `${id.slice(0, 12)}…` : id}
      </Text>
      <CopyButton value={id} label={what} />
    </Group>
  );
}
