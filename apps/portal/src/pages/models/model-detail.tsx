import { Alert, Anchor, Badge, Button, Group, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { IconArrowLeft, IconCube, IconMessage2 } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useConfig } from '../../api/config';
import { aiSample, chatSamples } from '../../code-samples/chat-samples';
import { CodeSample } from '../../design/code-sample';
import { CopyField } from '../../design/copy';
import { EmptyState } from '../../design/empty-state';
import { LoadFailed } from '../../design/load-failed';
import { PageHeader } from '../../design/page-header';
import { SimulatedNotice } from '../../design/simulated-notice';
import { useStandingError } from '../../design/use-standing-error';
import { CandidatesTable } from './candidates-table';
import { HealthFigures } from './health-figures';
import { useMarket } from './market';
import { isChat, isLive } from './market-model';
import type { MarketModel } from './market-model';
import { CAPABILITIES, CAPABILITY_WORDS } from './model-filters';
import { ModelTerms } from './model-terms';
import { OffersTable } from './offers-table';
import { ToolContractTable } from './tool-contract-table';

/** Everything about one model. */
export function ModelDetail({ id }: { id: string }) {
  const query = useMarket();
  const { data, refetch } = query;
  const error = useStandingError(query);
  const model = data?.find((each) => each.id === id);
  return (
    <>
      <Anchor component={Link} to="/models" size="sm" mb="xs" display="inline-flex">
        <Group gap={4}>
          <IconArrowLeft size={14} />
          All models
        </Group>
      </Anchor>
      <PageHeader
        title={model?.id ?? id}
        description={model && <Capabilities model={model} />}
        actions={
          model &&
          isChat(model) &&
          isLive(model) && (
            <Button
              component={Link}
              to={`/playground?model=${encodeURIComponent(id)}`}
              leftSection={<IconMessage2 size={16} />}
            >
              Try it
            </Button>
          )
        }
      />
      {model ? (
        <ModelBody model={model} />
      ) : error ? (
        <LoadFailed what="The model" error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Stack aria-busy>
          <Skeleton height={90} />
          <Skeleton height={200} />
        </Stack>
      ) : (
        <NoSuchModel />
      )}
    </>
  );
}

function ModelBody({ model }: { model: MarketModel }) {
  const { tool_contract: contract } = model.svc;
  return (
    <Stack gap="xl">
      <div>
        <SimulatedNotice />
        <Standing model={model} />
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
          <ModelTerms model={model} />
        </SimpleGrid>
      </div>
      {!model.svc.cortex && <HealthFigures health={model.health} />}
      {model.svc.cortex ? (
        <CandidatesTable candidates={model.svc.candidates ?? []} />
      ) : (
        <OffersTable model={model.id} />
      )}
      {contract && <ToolContractTable contract={contract} />}
      {isChat(model) && <Samples model={model.id} />}
    </Stack>
  );
}

function Capabilities({ model }: { model: MarketModel }) {
  const able = CAPABILITIES.filter((each) => model.svc.capabilities[each]);
  return (
    <Group gap={6} component="span" mt={4}>
      by {model.owned_by}
      {able.map((each) => (
        <Badge key={each} variant="default" radius="sm" tt="none" fw={500}>
          {CAPABILITY_WORDS[each]}
        </Badge>
      ))}
    </Group>
  );
}

/** What stands in the way of using it, if anything does. */
function Standing({ model }: { model: MarketModel }) {
  if (!isChat(model)) {
    return (
      <Alert color="yellow" mb="md">
        This is an embedding model. Chat completions are not made with it, so neither the playground nor
        /v1/chat/completions takes it.
      </Alert>
    );
  }
  if (isLive(model)) return null;
  return (
    <Alert color="yellow" mb="md" title="Nobody serves it now">
      No provider has a live offer of this model. Requests are refused with no_capacity and cost nothing until
      one has.
    </Alert>
  );
}

function Samples({ model }: { model: string }) {
  const { base_url: baseUrl } = useConfig();
  const body = { model, messages: [{ role: 'user', content: 'Hello!' }] };
  return (
    <Stack gap="sm" component="section" aria-labelledby="use-it">
      <Title order={2} id="use-it">
        Use it
      </Title>
      <CopyField label="base URL" value={baseUrl} />
      <CodeSample
        label="A request to the model"
        samples={[...chatSamples(baseUrl, body), aiSample(baseUrl, model, 'Hello!')]}
      />
      <Anchor component={Link} to="/keys" size="sm">
        Get an API key
      </Anchor>
    </Stack>
  );
}

function NoSuchModel() {
  return (
    <EmptyState
      title="There is no such model"
      icon={<IconCube />}
      action={
        <Button component={Link} to="/models" variant="default">
          See all models
        </Button>
      }
    >
      It may have been taken off the market, or its name is misspelt.
    </EmptyState>
  );
}
