import { Button, Group, Skeleton, Table, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { announce } from './announcer';
import { LoadFailed } from './load-failed';
import { useStandingError } from './use-standing-error';

export interface Column<Row> {
  /** Unique within the table. */
  id: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  /** Figures stand at the right. */
  align?: 'left' | 'right';
  width?: number | string;
  /** Left out where the screen is narrow; or where it is wide. */
  wideOnly?: boolean;
  narrowOnly?: boolean;
}

/** A page of a list that the server cuts; a handler that is undefined means there is no such page. */
export interface Paging {
  previous?: () => void;
  next?: () => void;
  /** Such as "1–50 of many". */
  label?: ReactNode;
}

interface DataTableProps<Row> {
  /** What the table is, for screen readers; also "{what} could not be loaded". */
  what: string;
  columns: Column<Row>[];
  /** Undefined while they load for the first time. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  /** Shown when there is no row. */
  empty: ReactNode;
  error?: unknown;
  retry?: () => void;
  paging?: Paging;
  /** True while another page loads; the rows of the last one stay, dimmed. */
  refreshing?: boolean;
}

/** A table whose pages come from the server, with its loading, empty and failed states. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { what, columns, rows, rowId, empty, error, retry, paging, refreshing = false } = props;
  useSpokenRows(what, refreshing, rows?.length);
  const standing = useStandingError({ error, data: rows, isPlaceholderData: refreshing });
  if (standing) return <LoadFailed error={standing} what={what} retry={retry} />;
  if (rows?.length === 0 && paging?.previous === undefined) return <>{empty}</>;
  return (
    <>
      <Table.ScrollContainer minWidth={0} type="native" tabIndex={0} role="region" aria-label={what}>
        <Table
          verticalSpacing="xs"
          highlightOnHover
          aria-busy={rows === undefined || refreshing}
          data-refreshing={refreshing}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column.id} ta={column.align} w={column.width} {...widthOf(column)}>
                  {column.header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows === undefined ? (
              <LoadingRows columns={columns} />
            ) : (
              rows.map((row) => (
                <Table.Tr key={rowId(row)}>
                  {columns.map((column) => (
                    <Table.Td
                      key={column.id}
                      ta={column.align}
                      className={column.align === 'right' ? 'figures' : undefined}
                      {...widthOf(column)}
                    >
                      {column.cell(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {paging !== undefined && <Pager {...paging} refreshing={refreshing} />}
    </>
  );
}

/** Says to those who do not see it that another page is there, or what was looked for. The first rows are no news. */
function useSpokenRows(what: string, refreshing: boolean, count: number | undefined): void {
  const wasRefreshing = useRef(refreshing);
  useEffect(() => {
    const isNews = wasRefreshing.current && !refreshing;
    wasRefreshing.current = refreshing;
    if (isNews && count !== undefined) announce(`${what}: ${count} ${count === 1 ? 'row' : 'rows'}`);
  }, [what, refreshing, count]);
}

/** From `sm` on the menu stands beside the page, and leaves a tablet the width of a large phone. */
function widthOf({ wideOnly, narrowOnly }: { wideOnly?: boolean; narrowOnly?: boolean }) {
  return { visibleFrom: wideOnly ? 'md' : undefined, hiddenFrom: narrowOnly ? 'md' : undefined } as const;
}

function LoadingRows<Row>({ columns }: { columns: Column<Row>[] }) {
  return Array.from({ length: 5 }, (_, index) => (
    <Table.Tr key={index}>
      {columns.map((column) => (
        <Table.Td key={column.id} {...widthOf(column)}>
          <Skeleton height={14} my={4} width={index % 2 === 0 ? '70%' : '55%'} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}

function Pager({ previous, next, label, refreshing }: Paging & { refreshing: boolean }) {
  if (previous === undefined && next === undefined && label === undefined) return null;
  return (
    <Group justify="flex-end" mt="sm" gap="xs">
      {label !== undefined && (
        <Text size="sm" c="dimmed" mr="auto">
          {label}
        </Text>
      )}
      <Button
        variant="default"
        size="xs"
        leftSection={<IconChevronLeft size={14} />}
        disabled={previous === undefined}
        onClick={previous}
      >
        Previous
      </Button>
      <Button
        variant="default"
        size="xs"
        rightSection={<IconChevronRight size={14} />}
        disabled={next === undefined}
        // What comes next is known once this page is there. It keeps the focus meanwhile.
        onClick={refreshing ? undefined : next}
        aria-disabled={refreshing}
      >
        Next
      </Button>
    </Group>
  );
}
