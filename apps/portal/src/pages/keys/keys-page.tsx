import { Button, Group } from '@mantine/core';
import { IconFilterOff, IconKey, IconPlus } from '@tabler/icons-react';
import { useRef, useState } from 'react';
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
import { chosenKeys } from './key-search';
import type { KeySearch } from './key-search';
import { KeySearchBar } from './key-search-bar';
import { keysFor } from './key-view';
import { useKeys } from './keys';
import type { WalletKey } from './keys';
import { RevokeKeyDialog } from './revoke-key-dialog';
import { RotateKeyDialog } from './rotate-key-dialog';
import { useKeySearch } from './use-key-search';

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
  const [asked, change] = useKeySearch();
  const field = useRef<HTMLInputElement>(null);
  const revoked = keys ? keysFor('revoked', keys).length : 0;
  // There is no choice where none is revoked.
  const search: KeySearch = revoked === 0 ? { ...asked, filter: 'working' } : asked;
  const chosen = keys && chosenKeys(keys, search);
  const { shown, paging } = usePages(chosen, KEYS_A_PAGE, [search.page, (page) => change({ page })]);
  const count = keys && {
    ...{ all: keys.length, revoked, shown: chosen?.length ?? 0 },
    ofKind: keysFor(search.filter, keys).length,
  };
  const searchFor = (next: Partial<KeySearch>) => {
    change(next);
    // The button that did it is gone.
    field.current?.focus();
  };
  return (
    <>
      {count && <KeySearchBar search={search} change={change} count={count} field={field} />}
      <DataTable
        what="Your API keys"
        columns={keyColumns(onAct)}
        rows={shown}
        rowId={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        paging={paging}
        empty={
          keys && search.text.trim() !== '' ? (
            <NoneFits
              elsewhere={chosenKeys(keys, { ...search, filter: 'all' }).length}
              onClear={() => searchFor({ text: '' })}
              onAll={() => searchFor({ filter: 'all' })}
            />
          ) : (
            <NoKeys onCreate={onCreate} hadSome={revoked > 0} />
          )
        }
      />
    </>
  );
}

interface NoneFitsProps {
  /** Of the other kind. */
  elsewhere: number;
  onClear: () => void;
  onAll: () => void;
}

function NoneFits({ elsewhere, onClear, onAll }: NoneFitsProps) {
  return (
    <EmptyState
      title="No such key here"
      icon={<IconFilterOff size={22} />}
      action={
        <Group mt="xs" justify="center">
          <Button variant="default" onClick={onClear}>
            Clear the search
          </Button>
          {elsewhere > 0 && (
            <Button variant="default" onClick={onAll}>
              Search all keys
            </Button>
          )}
        </Group>
      }
    >
      {elsewhere > 0
        ? `Among all your keys ${elsewhere === 1 ? 'one fits' : `${elsewhere} fit`}.`
        : 'A key is found by words of its name, or by the last four characters of its value.'}
    </EmptyState>
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
