import { useState } from 'react';

/** What is being typed, which need not make sense yet; begins anew when what stands has changed elsewhere. */
export function useDraft(standing: string): [draft: string, setDraft: (text: string) => void] {
  const [state, setState] = useState({ draft: standing, standing });
  if (state.standing !== standing) setState({ draft: standing, standing });
  return [state.draft, (draft) => setState((before) => ({ ...before, draft }))];
}
