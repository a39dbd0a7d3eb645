import { Modal, Stack, Text } from '@mantine/core';
import { useConfig } from '../../api/config';
import { chatSamples } from '../../code-samples/chat-samples';
import { CodeSample } from '../../design/code-sample';
import type { ChatState } from './chat';
import { bodyOf } from './request-body';

interface ViewCodeProps {
  opened: boolean;
  onClose: () => void;
  state: ChatState;
}

/** The conversation as it stands, as a client of one's own would ask it. */
export function ViewCode({ opened, onClose, state }: ViewCodeProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="View code" size="xl">
      {opened && <Code state={state} />}
    </Modal>
  );
}

function Code({ state: { settings, turns } }: { state: ChatState }) {
  const { base_url: baseUrl } = useConfig();
  const hello = { role: 'user', id: 'hello', content: 'Hello!' } as const;
  const body = bodyOf(settings, turns.length === 0 ? [hello] : turns);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        Put an API key of yours into SVC_API_KEY: the playground’s own has no value to copy.
      </Text>
      <CodeSample label="This conversation" samples={chatSamples(baseUrl, body)} />
    </Stack>
  );
}
