import { Group, Kbd, Modal, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useLateOpening } from '../design/focus';
import { findCommands } from './commands';
import type { Command } from './commands';
import { useCommands } from './use-commands';
import './command-palette.css';

interface CommandPaletteProps {
  opened: boolean;
  onClose: () => void;
  onHelp: () => void;
}

const NAME = 'Search pages and commands';

/** Everything by typing: pages, appearance, signing out. */
export default function CommandPalette({ opened, onClose, onHelp }: CommandPaletteProps) {
  const commands = useCommands(onHelp);
  const isOpen = useLateOpening(opened);
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      yOffset="12vh"
      // It has no title to take its name from, and what is given to the whole does not come to what is the dialog.
      attributes={{ content: { 'aria-label': NAME } }}
    >
      {opened && <PaletteBody commands={commands} onClose={onClose} />}
    </Modal>
  );
}

function PaletteBody({ commands, onClose }: { commands: Command[]; onClose: () => void }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = findCommands(commands, typed);
  const current = found[Math.min(chosen, found.length - 1)];
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      const next = (Math.min(chosen, found.length - 1) + step + found.length) % found.length;
      setChosen(next);
      document.getElementById(`${id}-${found[next]?.id}`)?.scrollIntoView({ block: 'nearest' });
    }
    if (event.key === 'Enter') run(current);
  };
  return (
    <>
      <TextInput
        data-autofocus
        size="md"
        variant="unstyled"
        className="palette-input"
        leftSection={<IconSearch size={18} aria-hidden />}
        placeholder="Go to a page or do something…"
        aria-label={NAME}
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={current && `${id}-${current.id}`}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="palette-scroll">
        <div role="listbox" id={`${id}-list`} aria-label="Found" className="palette-list">
          {found.map((command) => (
            <UnstyledButton
              key={command.id}
              id={`${id}-${command.id}`}
              role="option"
              aria-selected={command === current}
              tabIndex={-1}
              className="palette-option"
              onClick={() => run(command)}
            >
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm">{command.label}</Text>
                {command.keys !== undefined && <KeyCaps keys={command.keys} />}
              </Group>
            </UnstyledButton>
          ))}
        </div>
        {found.length === 0 && (
          <Text size="sm" c="dimmed" p="md" role="status">
            Nothing is called that.
          </Text>
        )}
      </div>
    </>
  );
}

export function KeyCaps({ keys }: { keys: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      {keys.split(' ').map((key, index) =>
        key === 'or' ? (
          <Text key={index} size="xs" c="dimmed">
            or
          </Text>
        ) : (
          <Kbd key={index} size="xs">
            {key}
          </Kbd>
        ),
      )}
    </Group>
  );
}
