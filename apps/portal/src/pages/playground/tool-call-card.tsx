import { Code, Group, Paper, Stack, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import type { ToolCall, ToolTurn } from './conversation';

/** A call that the model made. */
export function ToolCallCard({ call }: { call: ToolCall }) {
  return (
    <Paper withBorder p="sm" data-testid="tool-call">
      <Stack gap={6}>
        <Group gap={6}>
          <IconTool size={16} aria-hidden />
          <Text size="sm">
            Calls <Code>{call.name}</Code>
          </Text>
        </Group>
        <Code block className="turn-code" tabIndex={0} role="region" aria-label={`Arguments of ${call.name}`}>
          {prettyJson(call.arguments)}
        </Code>
      </Stack>
    </Paper>
  );
}

/** What a call was answered with. */
export function ToolAnswer({ turn }: { turn: ToolTurn }) {
  return (
    <Stack gap={4} data-testid="tool-answer">
      <Text size="xs" c="dimmed">
        {turn.name} answered
      </Text>
      <Code block className="turn-code" tabIndex={0} role="region" aria-label={`Answer of ${turn.name}`}>
        {prettyJson(turn.content)}
      </Code>
    </Stack>
  );
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
