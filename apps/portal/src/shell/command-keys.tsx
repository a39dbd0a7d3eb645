import { lazy, Suspense, useEffect, useState } from 'react';
import type { ComponentType } from 'react';
import { useNavigate } from 'react-router';
import { offlineError } from '../api/api-error';
import { notify } from '../design/notify';
import { useSessionState } from '../session/session-context';
import { KeySequence } from './key-sequence';
import { pagesFor } from './pages';
import { useSingleKeys } from './use-single-keys';

interface OverlayProps {
  opened: boolean;
  onClose: () => void;
}

const CommandPalette = lazy<ComponentType<OverlayProps & { onHelp: () => void }>>(() =>
  import('./command-palette').catch(notFetched),
);
const ShortcutHelp = lazy<ComponentType<OverlayProps>>(() => import('./shortcut-help').catch(notFetched));

export type Shown = 'palette' | 'help' | null;

interface CommandKeysProps {
  shown: Shown;
  onShow: (shown: Shown) => void;
}

/** Keyboard shortcuts, the command palette and the list of shortcuts. */
export function CommandKeys({ shown, onShow }: CommandKeysProps) {
  // Their code comes when they are first asked for, and stays for the next time.
  const [loaded, setLoaded] = useState<ReadonlySet<Shown>>(new Set());
  const isMissing = shown !== null && !loaded.has(shown);
  if (isMissing && navigator.onLine) setLoaded(new Set([...loaded, shown]));
  // Not asked for now, or they would stay missing with the connection back: see `codeNow`.
  useEffect(() => {
    if (!isMissing || navigator.onLine) return;
    notify.failed('Not opened', offlineError(undefined));
    onShow(null);
  }, [isMissing, onShow]);
  useKeys(onShow);
  return (
    <Suspense>
      {loaded.has('palette') && (
        <CommandPalette
          opened={shown === 'palette'}
          onClose={() => onShow(null)}
          onHelp={() => onShow('help')}
        />
      )}
      {loaded.has('help') && <ShortcutHelp opened={shown === 'help'} onClose={() => onShow(null)} />}
    </Suspense>
  );
}

/** What stands in for code that does not come: the page that is open stays as it is. */
function notFetched(error: unknown) {
  return {
    default: function NotFetched({ opened, onClose }: OverlayProps) {
      useEffect(() => {
        if (!opened) return;
        notify.failed('Not opened', error);
        onClose();
      }, [opened, onClose]);
      return null;
    },
  };
}

function useKeys(onShow: (shown: Shown) => void): void {
  const navigate = useNavigate();
  const { session } = useSessionState();
  const isSignedIn = session !== undefined;
  const isOperator = session?.is_operator === true;
  const [singleKeys] = useSingleKeys();
  useEffect(() => {
    const links = new Map(
      pagesFor({ isSignedIn, isOperator }).map(({ shortcut, link }) => [shortcut ?? '', link ?? '/']),
    );
    const keys = new KeySequence(new Set(links.keys()), singleKeys);
    const onKey = (event: KeyboardEvent) => {
      // Above another dialog it would close that one too: both take the same Esc.
      if (document.querySelector('[aria-modal="true"]') !== null) return;
      const isTyping = isField(event.target) || document.querySelector('[role="dialog"]') !== null;
      const { key, code, ctrlKey, metaKey, altKey } = event;
      // When it was pressed: the page may have been at work since.
      const command = keys.press({ key, code, ctrlKey, metaKey, altKey, isTyping }, event.timeStamp);
      if (command === undefined) return;
      event.preventDefault();
      if (command.kind === 'go') void navigate(links.get(command.shortcut) ?? '/');
      else onShow(command.kind === 'help' ? 'help' : 'palette');
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [navigate, onShow, isSignedIn, isOperator, singleKeys]);
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}
