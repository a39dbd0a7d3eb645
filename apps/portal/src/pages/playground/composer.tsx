import { Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core';
import { IconPlayerStopFilled, IconSend } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { RefObject } from 'react';

interface ComposerProps {
  inputRef: RefObject<HTMLTextAreaElement | null>;
  isRunning: boolean;
  /** Why nothing can be sent now. */
  hindrance: string | undefined;
  /** What it begins with, and what is told of all that is typed. */
  draft: string;
  keep: (draft: string) => void;
  send: (content: string) => void;
  stop: () => void;
}

/** Where one writes. Enter sends, Shift and Enter begin a line, Esc stops the reply. */
export function Composer(props: ComposerProps) {
  const { inputRef, isRunning, hindrance, draft, keep, send, stop } = props;
  const [text, setText] = useState(draft);
  const write = (typed: string) => {
    setText(typed);
    keep(typed);
  };
  const maySend = !isRunning && hindrance === undefined && text.trim() !== '';
  const submit = () => {
    if (!maySend) return;
    write('');
    send(text);
  };
  useStopKey(isRunning, stop);
  return (
    <Stack gap={6} mb={6}>
      <Textarea
        ref={inputRef}
        aria-label="Your message"
        placeholder="Say something"
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
          event.preventDefault();
          submit();
        }}
        autosize
        minRows={2}
        maxRows={10}
      />
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed" visibleFrom="xs">
          {hindrance ?? (
            <>
              <Kbd size="xs">Enter</Kbd> sends, <Kbd size="xs">Shift</Kbd> + <Kbd size="xs">Enter</Kbd> is a
              new line, <Kbd size="xs">Esc</Kbd> stops
            </>
          )}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="xs">
          {hindrance}
        </Text>
        {/* Two buttons: who was at the one is not led to the other. */}
        {isRunning ? (
          <Button
            key="stop"
            variant="default"
            leftSection={<IconPlayerStopFilled size={14} />}
            onClick={stop}
          >
            Stop
          </Button>
        ) : (
          <Button key="send" leftSection={<IconSend size={14} />} onClick={submit} disabled={!maySend}>
            Send
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/**
 * While an input method composes a character, Enter takes the character. Safari ends the composition before it tells of that key, which
 * has the `keyCode` of keys that an input method took: 229 (UI Events).
 */
function isComposing({ isComposing: composes, keyCode }: KeyboardEvent): boolean {
  return composes || keyCode === 229;
}

/** What is open and takes Esc to close, if the key is pressed there. */
const CLOSES_BY_ESC = '[role="dialog"], [role="menu"], [aria-haspopup][aria-expanded="true"]';

/** Esc stops, unless something else takes it. */
function useStopKey(isRunning: boolean, stop: () => void): void {
  useEffect(() => {
    if (!isRunning) return;
    let isTaken = false;
    // On its way down: what is open there has closed by the time the key comes up again.
    const look = ({ target }: KeyboardEvent) => {
      isTaken =
        (target instanceof Element && target.closest(CLOSES_BY_ESC) !== null) ||
        document.querySelector('[role="dialog"]') !== null;
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !isTaken) stop();
    };
    window.addEventListener('keydown', look, { capture: true });
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', look, { capture: true });
      window.removeEventListener('keydown', onKey);
    };
  }, [isRunning, stop]);
}
