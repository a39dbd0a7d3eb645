import { Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { searchable } from './key-search';
import type { KeySearch } from './key-search';

/** Fewer are seen at a glance. */
const SEARCHED_FROM = 8;

interface KeySearchBarProps {
  search: KeySearch;
  change: (next: Partial<KeySearch>) => void;
  /** In all, of those revoked, and of those that the page is about without what is typed. */
  count: { all: number; revoked: number; shown: number; ofKind: number };
  field: RefObject<HTMLInputElement | null>;
}

/** Which keys one looks for, and how many there are. */
export function KeySearchBar({ search, change, count, field }: KeySearchBarProps) {
  const { text, filter } = search;
  const { all, revoked, shown, ofKind } = count;
  const hasField = all >= SEARCHED_FROM || text !== '';
  if (!hasField && revoked === 0) return null;
  return (
    <Group mb="md" gap="sm" component="search" aria-label="API keys">
      {hasField && (
        <TextInput
          ref={field}
          type="search"
          size="xs"
          aria-label="Search keys"
          placeholder="Name, or its last four characters"
          leftSection={<IconSearch size={14} aria-hidden />}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => change({ text: searchable(currentTarget.value) })}
          flex="0 1 280px"
        />
      )}
      {revoked > 0 && (
        <SegmentedControl
          aria-label="Which keys"
          size="xs"
          data={[
            { value: 'working', label: `In use (${all - revoked})` },
            { value: 'revoked', label: `Revoked (${revoked})` },
            { value: 'all', label: 'All' },
          ]}
          value={filter}
          onChange={(value) => change({ filter: value })}
        />
      )}
      {hasField && (
        <Text size="sm" c="dimmed" role="status">
          {text.trim() !== '' && `${shown} of `}
          {ofKind} {ofKind === 1 ? 'key' : 'keys'}
        </Text>
      )}
    </Group>
  );
}
