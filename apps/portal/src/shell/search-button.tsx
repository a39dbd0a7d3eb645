import { ActionIcon, Button, Kbd } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

/** Opens the command palette; an icon alone on a phone. */
export function SearchButton({ onClick }: { onClick: () => void }) {
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        size="xs"
        c="dimmed"
        fw={400}
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={<Kbd size="xs">{isApple() ? '⌘K' : 'Ctrl K'}</Kbd>}
        onClick={onClick}
      >
        Search
      </Button>
      <ActionIcon hiddenFrom="sm" variant="default" size="lg" onClick={onClick} aria-label="Search">
        <IconSearch size={16} />
      </ActionIcon>
    </>
  );
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
