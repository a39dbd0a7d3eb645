import { parseMarkdown } from './markdown';

describe('parseMarkdown', () => {
  it('knows fenced code, code and bold', () => {
    const text = 'Use **this** and `that`:\n\n```js\nlet x = `a`; // **no**\n\n```\n\nDone.\n';
    expect(parseMarkdown(text)).toEqual([
      {
        kind: 'paragraph',
        spans: [
          { kind: 'text', text: 'Use ' },
          { kind: 'bold', text: 'this' },
          { kind: 'text', text: ' and ' },
          { kind: 'code', text: 'that' },
          { kind: 'text', text: ':' },
        ],
      },
      { kind: 'code', language: 'js', text: 'let x = `a`; // **no**\n', isOpen: false },
      { kind: 'paragraph', spans: [{ kind: 'text', text: 'Done.' }] },
    ]);
  });

  it('shows code whose end has not come', () => {
    expect(parseMarkdown('```\nhalf')).toEqual([{ kind: 'code', language: '', text: 'half', isOpen: true }]);
  });

  it('lets a longer fence hold a shorter one', () => {
    expect(parseMarkdown('````\n```\n````')).toMatchObject([{ kind: 'code', text: '```' }]);
  });

  it.each([
    '<img src=x onerror=alert(1)> [link](javascript:alert(1)) ![pixel](http://evil.example/x.png)',
    '2 ** 3 ** 4, a * b, `` and **',
    '  indented\n\tlines\n\nstay',
  ])('leaves all else as it was written: %s', (text) => {
    expect(parseMarkdown(text)).toEqual([{ kind: 'paragraph', spans: [{ kind: 'text', text }] }]);
  });

  it('is done with a long reply at once', () => {
    const text = '**a `b '.repeat(50_000);
    expect(parseMarkdown(text).length).toBeGreaterThan(0);
  });

  it('has nothing of nothing', () => expect(parseMarkdown(' \n\n')).toEqual([]));
});
