import { chatSamples } from '../../code-samples/chat-samples';
import type { CodeSampleText } from '../../design/code-sample';

interface FirstRequest {
  /** Ending in /v1. */
  baseUrl: string;
  model: string;
  /** Known only in the tab that made it. */
  key: string | undefined;
  /** Stands where a key is to be put. */
  shownKey: string;
}

/** The first request in several languages; curl's sets the key first, so that it works as it is copied. */
export function firstRequestSamples({ baseUrl, model, key, shownKey }: FirstRequest): CodeSampleText[] {
  const body = { model, messages: [{ role: 'user', content: 'Say hello in five words.' }] };
  const exportOf = (value: string) => `export SVC_API_KEY=${value}\n`;
  const shown = key === undefined ? shownKey : `${key.slice(0, 13)}…`;
  return chatSamples(baseUrl, body).map(({ label, code }) =>
    label === 'curl'
      ? { label, code: exportOf(shown) + code, copyCode: exportOf(key ?? shownKey) + code }
      : { label, code },
  );
}
