/** What a model thought before it answered, as text; folded, for it may be long and is not the answer. */
export function Thoughts({ text, isThinking }: { text: string; isThinking: boolean }) {
  return (
    <details className="turn-thoughts" data-testid="thoughts">
      <summary>{isThinking ? 'Thinking…' : 'Thoughts'}</summary>
      <div className="turn-text">{text}</div>
    </details>
  );
}
