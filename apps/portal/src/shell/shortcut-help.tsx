import { Modal, Table } from '@mantine/core';
import { useLateOpening } from '../design/focus';
import { useSessionState } from '../session/session-context';
import { KeyCaps } from './command-palette';
import { pagesFor } from './pages';

/** Which keys do what. */
export default function ShortcutHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { session } = useSessionState();
  const isOpen = useLateOpening(opened);
  const pages = pagesFor({ isSignedIn: session !== undefined, isOperator: session?.is_operator === true });
  const rows: [string, string][] = [
    ['Search pages and commands', '⌘K or Ctrl+K or /'],
    ['These shortcuts', '?'],
    ...pages.flatMap(({ title, shortcut }): [string, string][] =>
      shortcut ? [[`Go to ${title}`, `g ${shortcut}`]] : [],
    ),
  ];
  return (
    <Modal opened={isOpen} onClose={onClose} title="Keyboard shortcuts" centered>
      <Table>
        <Table.Tbody>
          {rows.map(([what, keys]) => (
            <Table.Tr key={what}>
              <Table.Th fw={400}>{what}</Table.Th>
              <Table.Td w={180}>
                <KeyCaps keys={keys} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
