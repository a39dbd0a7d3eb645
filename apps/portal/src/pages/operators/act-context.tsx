import { useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useState } from 'react';
import type { ReactNode } from 'react';
import { callRaw } from '../../api/client';
import { queryKeys } from '../../api/query-keys';
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
  const ask = useCallback((next: OperatorAct) => {
    setAct(next);
    setOpened(true);
  }, []);
  const perform = async ({ path, done }: OperatorAct, reason: string) => {
    await callRaw(`/portal/api/operators${path}`, { method: 'POST', body: { reason } });
    notify.success(done);
    setOpened(false);
    // A provider's own standing is not among the operators' lists.
    for (const queryKey of [queryKeys.operators, queryKeys.provider])
      void queries.invalidateQueries({ queryKey });
  };
  return (
    <ActContext value={ask}>
      {children}
      <ActDialog act={act} opened={opened} onClose={() => setOpened(false)} perform={perform} />
    </ActContext>
  );
}
