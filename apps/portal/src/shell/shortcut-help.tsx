import { Modal, Switch, Table } from '@mantine/core';
import { useLateOpening } from '../design/focus';
import { useSessionState } from '../session/session-context';
import { KeyCaps } from './command-palette';
import { pagesFor } from './pages';
import { useSingleKeys } from './use-single-keys';

/** Which keys do what, and whether those do that are pressed alone. */
export default function ShortcutHelp({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { session } = useSessionState();
  const isOpen = useLateOpening(opened);
  const [singleKeys, setSingleKeys] = useSingleKeys();
  const pages = pagesFor({ isSignedIn: session !== undefined, isOperator: session?.is_operator === true });
  const single: [string, string][] = [
    ['These shortcuts', '?'],
    ...pages.flatMap(({ title, shortcut }): [string, string][] =>
      shortcut ? [[`Go to ${title}`, `g ${shortcut}`]] : [],
    ),
  ];
  const rows: [string, string][] = singleKeys
    ? [['Search pages and commands', '⌘K or Ctrl+K or /'], ...single]
    : [['Search pages and commands', '⌘K or Ctrl+K']];
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
      <Switch
        mt="md"
        label="Shortcuts of single keys"
        description="Off, keys that are pressed by chance or by speech do nothing. This list is among the commands."
        checked={singleKeys}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
      />
    </Modal>
  );
}
