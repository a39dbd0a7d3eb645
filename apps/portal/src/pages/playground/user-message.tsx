import { ActionIcon, Button, Group, Paper, Stack, Textarea, Tooltip } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import type { UserTurn } from './conversation';

interface UserMessageProps {
  turn: UserTurn;
  isRunning: boolean;
  maySend: boolean;
  edit: (content: string) => void;
}

/** What the user said; said in other words, it is answered anew. */
export function UserMessage({ turn, isRunning, maySend, edit }: UserMessageProps) {
  const [draft, setDraft] = useState<string>();
  const pencil = useRef<HTMLButtonElement>(null);
  const giveUp = () => {
    setDraft(undefined);
    // Once it is there again.
    requestAnimationFrame(() => pencil.current?.focus());
  };
  if (draft !== undefined) {
    const save = () => {
      setDraft(undefined);
      edit(draft);
    };
    return (
      <Stack gap="xs">
        <Textarea
          label="Your message"
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          autosize
          minRows={2}
          maxRows={12}
          autoFocus
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            // It is for this alone: a reply that runs goes on.
            event.preventDefault();
            giveUp();
          }}
        />
        <Group gap="xs" justify="flex-end">
          <Button variant="default" size="xs" onClick={giveUp}>
            Cancel
          </Button>
          <Button size="xs" onClick={save} disabled={draft.trim() === '' || !maySend}>
            Send instead
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Group justify="flex-end" align="flex-start" gap={4} wrap="nowrap">
      <Tooltip label="Edit and send again">
        <ActionIcon
          ref={pencil}
          variant="subtle"
          color="gray"
          aria-label="Edit your message"
          disabled={isRunning}
          onClick={() => setDraft(turn.content)}
        >
          <IconPencil size={16} />
        </ActionIcon>
      </Tooltip>
      <Paper className="turn-user" px="md" py="xs" maw="85%">
        <div className="turn-text" data-testid="user-text">
          {turn.content}
        </div>
      </Paper>
    </Group>
  );
}
