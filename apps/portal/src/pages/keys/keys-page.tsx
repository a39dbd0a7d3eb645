import { Button, Group, SegmentedControl } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { MouseEvent } from 'react';
import { DataTable } from '../../design/data-table';
import { EmptyState } from '../../design/empty-state';
import { PageHeader } from '../../design/page-header';
import { useReturnFocus } from '../../design/focus';
import { usePages } from '../../design/use-pages';
import { CreateKeyDialog } from './create-key-dialog';
import { EditKeyDialog } from './edit-key-dialog';
import { keyColumns } from './key-columns';
import type { KeyAct } from './key-menu';
import { keysFor } from './key-view';
import type { KeyFilter } from './key-view';
import { useKeys } from './keys';
import type { WalletKey } from './keys';
import { RevokeKeyDialog } from './revoke-key-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';

const KEYS_A_PAGE = 25;
const DIALOGS = { edit: EditKeyDialog, rotate: RotateKeyDialog, revoke: RevokeKeyDialog };

export default function KeysPage() {
  const [isCreating, setIsCreating] = useState(false);
  const [acting, setActing] = useState<{ key: WalletKey; act: KeyAct }>();
  const focus = useReturnFocus();
  const Dialog = acting && DIALOGS[acting.act];
  const create = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    focus.openedBy(currentTarget);
    setIsCreating(true);
  };
  const close = () => {
    setIsCreating(false);
    setActing(undefined);
    focus.closed();
  };
  return (
    <>
      <PageHeader
        title="API keys"
        description="Programs send a key with each request, and your wallet pays. Give each its own, with a limit of its own."
        actions={
          <Button leftSection={<IconPlus size={16} />} onClick={create}>
            Create key
          </Button>
        }
      />
      <KeyTable
        onCreate={create}
        onAct={(key, act, opener) => {
          focus.openedBy(opener);
          setActing({ key, act });
        }}
      />
      {isCreating && <CreateKeyDialog onClose={close} />}
      {Dialog && <Dialog walletKey={acting.key} onClose={close} />}
    </>
  );
}

interface KeyTableProps {
  onCreate: (event: MouseEvent<HTMLElement>) => void;
  onAct: (key: WalletKey, act: KeyAct, opener: HTMLElement | null) => void;
}

function KeyTable({ onCreate, onAct }: KeyTableProps) {
  const { data: keys, error, refetch } = useKeys();
  const [filter, setFilter] = useState<KeyFilter>('working');
  const { shown, paging, restart } = usePages(keys && keysFor(filter, keys), KEYS_A_PAGE);
  const revoked = keys ? keysFor('revoked', keys).length : 0;
  return (
    <>
      {keys !== undefined && revoked > 0 && (
        <Group mb="md">
          <SegmentedControl
            aria-label="Which keys"
            size="xs"
            data={[
              { value: 'working', label: `In use (${keys.length - revoked})` },
              { value: 'revoked', label: `Revoked (${revoked})` },
              { value: 'all', label: 'All' },
            ]}
            value={filter}
            onChange={(value) => {
              setFilter(value);
              restart();
            }}
          />
        </Group>
      )}
      <DataTable
        what="Your API keys"
        columns={keyColumns(onAct)}
        rows={shown}
        rowId={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        paging={paging}
        empty={<NoKeys onCreate={onCreate} hadSome={revoked > 0} />}
      />
    </>
  );
}

function NoKeys({ onCreate, hadSome }: Pick<KeyTableProps, 'onCreate'> & { hadSome: boolean }) {
  return (
    <EmptyState
      title={hadSome ? 'No key in use' : 'No API key yet'}
      icon={<IconKey size={22} />}
      action={
        <Button mt="xs" onClick={onCreate}>
          {hadSome ? 'Create a key' : 'Create your first key'}
        </Button>
      }
    >
      With a key, any program that speaks the chat-completions API can use the marketplace. It takes a name,
      and a spending limit if you like.
    </EmptyState>
  );
}
