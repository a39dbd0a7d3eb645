import { ActionIcon, Group, Stack, Text, Tooltip } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Amount } from '../../design/amount';
import { CopyButton } from '../../design/copy';
import type { AssistantTurn } from './conversation';
import { ReplyErrorNote } from './reply-error-note';
import { ReplyFactsLine } from './reply-facts';
import { ReplyText } from './reply-text';
import { Thoughts } from './thoughts';
import { ToolCallCard } from './tool-call-card';
import { useStoppedCost } from './use-stopped-cost';

interface AssistantMessageProps {
  turn: AssistantTurn;
  /** Nothing came after it. */
  isLast: boolean;
  isRunning: boolean;
  /** Whether anything can be asked now. */
  mayAsk: boolean;
  regenerate: () => void;
  /** What it was charged came to be known. */
  learnCost: (turnId: string, chargedUsdc: string) => void;
}

/** A reply, or why there is none. */
export function AssistantMessage(props: AssistantMessageProps) {
  const { turn, isLast, isRunning, mayAsk, regenerate, learnCost } = props;
  useStoppedCost(turn, isRunning, learnCost);
  const { thoughts, content, toolCalls, state, facts, error } = turn;
  const isTyping = state === 'streaming';
  return (
    <Stack gap={6} data-testid="reply" data-state={state}>
      <Text size="xs" c="dimmed" className="breakable">
        {facts.model}
        {isTyping && facts.holdUsdc !== undefined && (
          <>
            {' · at most '}
            <Amount of={{ usdc: facts.holdUsdc }} />
          </>
        )}
      </Text>
      {thoughts !== '' && (
        <Thoughts text={thoughts} isThinking={isTyping && content === '' && toolCalls.length === 0} />
      )}
      {(content !== '' || (isTyping && toolCalls.length === 0)) && (
        <ReplyText text={content} isTyping={isTyping} />
      )}
      {toolCalls.map((call) => (
        <ToolCallCard key={call.id} call={call} />
      ))}
      {error && <ReplyErrorNote error={error} mayAsk={mayAsk} retry={isLast ? regenerate : undefined} />}
      {!isTyping && (
        <Group gap={4} justify="space-between" wrap="nowrap" align="flex-start">
          <ReplyFactsLine turn={turn} />
          <Group gap={2} wrap="nowrap">
            {content !== '' && <CopyButton value={content} label="reply" />}
            {state !== 'failed' && (
              <Tooltip label="Answer again">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label="Answer again"
                  disabled={!mayAsk}
                  onClick={regenerate}
                >
                  <IconRefresh size={14} />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        </Group>
      )}
    </Stack>
  );
}
