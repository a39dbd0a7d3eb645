import { Alert, Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useChatModels } from '../../api/chat-models';
import { useConfig } from '../../api/config';
import { rememberFreshKey, useFreshKey } from '../../api/fresh-key';
import { suggestedModel } from '../../api/suggested-model';
import { CodeSample } from '../../design/code-sample';
import { CopyField } from '../../design/copy';
import { firstRequestSamples } from './first-request-samples';

/** A curl that works as it stands, while the key's value is still known. */
export function FirstRequest() {
  const { base_url, key_prefix } = useConfig();
  const key = useFreshKey();
  const { data: models = [], isPending } = useChatModels();
  const model = suggestedModel(models)?.id ?? 'MODEL';
  const shownKey = `${key_prefix}…`;
  const samples = firstRequestSamples({ baseUrl: base_url, model, key: key?.value, shownKey });
  return (
    <Stack gap="sm" mt={4}>
      {key === undefined ? (
        <Text size="sm" c="dimmed">
          Put your key where it says {shownKey} – its value is shown only when it is made;{' '}
          <Anchor component={Link} to="/keys">
            make another
          </Anchor>{' '}
          if it is lost.
        </Text>
      ) : (
        <Alert color="yellow" variant="light" title="Copy your key now">
          <Text size="sm" mb="xs">
            It is shown until you leave or reload, and kept nowhere: not even we can show it again.
          </Text>
          <CopyField value={key.value} label="API key" />
          <Button mt="xs" size="xs" variant="default" onClick={() => rememberFreshKey(undefined)}>
            I saved it
          </Button>
        </Alert>
      )}
      {/* Copied before the model is known, it would ask for none that there is. */}
      {isPending ? (
        <Skeleton height={150} aria-label="Loading the code" />
      ) : (
        <CodeSample label="First request" samples={samples} />
      )}
      <Group gap="sm">
        <Button component={Link} to="/playground" variant="default">
          Or try it in the playground
        </Button>
      </Group>
    </Stack>
  );
}
