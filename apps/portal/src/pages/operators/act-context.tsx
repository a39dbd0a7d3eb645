import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useState } from 'react';
import type { ReactNode } from 'react';
import { callRaw } from '../../api/client';
import { queryKeys } from '../../api/query-keys';
import { useReturnFocus } from '../../design/focus';
import { notify } from '../../design/notify';
import { ActDialog } from './act-dialog';
import type { OperatorAct } from './acts';

const ActContext = createContext<((act: OperatorAct) => void) | undefined>(undefined);

/** Asks before an act, and has it done when a reason was given. */
export function useAct(): (act: OperatorAct) => void {
  const ask = useContext(ActContext);
  if (ask === undefined) throw new Error('no act provider');
  return ask;
}

/** The dialog behind {@link useAct}; one for the page. */
export function ActProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [act, setAct] = useState<OperatorAct>();
  const [opened, setOpened] = useState(false);
  const focus = useReturnFocus();
  const ask = (next: OperatorAct) => {
    focus.openedBy(document.activeElement instanceof HTMLElement ? document.activeElement : null);
    setAct(next);
    setOpened(true);
  };
  const close = () => {
    setOpened(false);
    focus.closed();
  };
  const perform = async ({ path, done }: OperatorAct, reason: string) => {
    await callRaw(`/portal/api/operators${path}`, { method: 'POST', body: { reason } });
    notify.success(done);
    close();
    // A provider's own standing is not among the operators' lists.
    for (const queryKey of [queryKeys.operators, queryKeys.provider])
      void queries.invalidateQueries({ queryKey });
  };
  return (
    <ActContext value={ask}>
      {children}
      <ActDialog act={act} opened={opened} onClose={close} perform={perform} />
    </ActContext>
  );
}
