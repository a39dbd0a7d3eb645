import { Button, Group, Stack } from '@mantine/core';
import { IconMessage2 } from '@tabler/icons-react';
import { useRef } from 'react';
import { EmptyState } from '../../design/empty-state';
import { LoadFailed } from '../../design/load-failed';
import { AssistantMessage } from './assistant-message';
import type { Chat, ChatState } from './chat';
import { Composer } from './composer';
import { openCallsOf } from './conversation';
import type { Turn } from './conversation';
import { PlaygroundBudget } from './playground-budget';
import { RunningTotal } from './running-total';
import { hindranceIn } from './settings';
import type { Problems } from './settings';
import { ToolAnswers } from './tool-answers';
import { ToolAnswer } from './tool-call-card';
import { useComposerFocus } from './use-composer-focus';
import { useFollowedEnd } from './use-followed-end';
import { useSaidReplies } from './use-said-replies';
import { UserMessage } from './user-message';

const IDEAS = ['Hello!', 'Tell me what this marketplace does.', 'Write a short poem about settlement.'];

interface ConversationProps {
  chat: Chat;
  state: ChatState;
  problems: Problems;
  /** Whether the models are known; nothing can be asked before. */
  models: { known: boolean; error: Error | null; retry: () => void };
}

/** What was said, and where one goes on. */
export function Conversation({ chat, state, problems, models }: ConversationProps) {
  const { turns, isRunning } = state;
  const calls = openCallsOf(turns);
  const hindrance = hindranceOf(problems, models.known);
  const mayAsk = hindrance === undefined && !isRunning;
  const composer = useRef<HTMLTextAreaElement>(null);
  useComposerFocus(composer, isRunning);
  const section = useRef<HTMLDivElement>(null);
  useFollowedEnd(section, state);
  useSaidReplies(turns);
  return (
    <Stack gap="md" component="section" aria-label="Conversation" miw={0} ref={section}>
      {!models.known && models.error !== null && (
        <LoadFailed what="The models" error={models.error} retry={models.retry} />
      )}
      {turns.length === 0 ? (
        <Beginning isReady={mayAsk} send={(words) => void chat.send(words)} />
      ) : (
        turns.map((turn, at) => (
          <TurnView
            key={turn.id}
            turn={turn}
            isLast={at === turns.length - 1}
            isRunning={isRunning}
            mayAsk={mayAsk}
            chat={chat}
          />
        ))
      )}
      {calls.length > 0 && (
        <ToolAnswers
          key={calls.map(({ id }) => id).join()}
          calls={calls}
          mayAnswer={mayAsk}
          drafts={chat.drafts.answers}
          keep={(answers) => (chat.drafts.answers = answers)}
          answer={(answers) => void chat.answer(answers)}
        />
      )}
      <div className="composer">
        <Composer
          inputRef={composer}
          isRunning={isRunning}
          hindrance={hindrance ?? (calls.length > 0 ? 'Answer the tools first' : undefined)}
          draft={chat.drafts.message}
          keep={(message) => (chat.drafts.message = message)}
          send={(content) => void chat.send(content)}
          stop={() => chat.stop()}
        />
        <Group justify="space-between" gap="xs">
          <RunningTotal turns={turns} givenUp={state.givenUp} />
          <PlaygroundBudget />
        </Group>
      </div>
    </Stack>
  );
}

interface TurnViewProps {
  turn: Turn;
  isLast: boolean;
  isRunning: boolean;
  mayAsk: boolean;
  chat: Chat;
}

function TurnView({ turn, isLast, isRunning, mayAsk, chat }: TurnViewProps) {
  switch (turn.role) {
    case 'user':
      return (
        <UserMessage
          turn={turn}
          isRunning={isRunning}
          maySend={mayAsk}
          edit={(content) => void chat.edit(turn.id, content)}
        />
      );
    case 'tool':
      return <ToolAnswer turn={turn} />;
    case 'assistant':
      return (
        <AssistantMessage
          turn={turn}
          isLast={isLast}
          isRunning={isRunning}
          mayAsk={mayAsk}
          regenerate={() => void chat.regenerate(turn.id)}
          learnCost={chat.charged}
        />
      );
  }
}

function Beginning({ isReady, send }: { isReady: boolean; send: (words: string) => void }) {
  return (
    <EmptyState title="Say something" icon={<IconMessage2 />}>
      <Stack gap="xs" align="center">
        What you say here is kept in this tab alone: reload, and it is gone.
        <Group gap="xs" justify="center">
          {IDEAS.map((idea) => (
            <Button key={idea} size="xs" variant="default" disabled={!isReady} onClick={() => send(idea)}>
              {idea}
            </Button>
          ))}
        </Group>
      </Stack>
    </EmptyState>
  );
}

/** Why nothing can be asked now, in whichever way. */
function hindranceOf(problems: Problems, isKnown: boolean): string | undefined {
  return isKnown ? hindranceIn(problems) : 'Waiting for the models';
}
