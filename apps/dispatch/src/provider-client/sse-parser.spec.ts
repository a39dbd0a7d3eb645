import { SseParser, SseTooLargeError } from './sse-parser';

/** Feeds the text cut at every given length and returns the events' data. */
function events(text: string, pieceLength = text.length): string[] {
  const seen: string[] = [];
  const parser = new SseParser((data) => {
    seen.push(data);
    return true;
  }, 1_000);
  for (let start = 0; start < text.length; start += pieceLength) {
    parser.push(text.slice(start, start + pieceLength));
  }
  parser.end();
  return seen;
}

const PLAIN = `data: {"a":1}

data: {"b":"é漢🙂"}

data: [DONE]

`;

describe('SseParser', () => {
  const expected = ['{"a":1}', '{"b":"é漢🙂"}', '[DONE]'];

  it.each([
    ['LF', PLAIN],
    ['CRLF', PLAIN.replaceAll('\n', '\r\n')],
    ['CR', PLAIN.replaceAll('\n', '\r')],
    ['no space after the colon', PLAIN.replaceAll('data: ', 'data:')],
    [
      'comments between and inside events',
      `: hi\n\n${PLAIN.replaceAll('data:', ': keep-alive\ndata:')}: bye\n`,
    ],
    ['other fields', PLAIN.replaceAll('data:', 'event: x\nid: 7\nretry: 5\ndatabase: y\ndata:')],
    ['a byte order mark', `\ufeff${PLAIN}`],
    ['no blank line at the end', PLAIN.slice(0, -2)],
    ['blank lines in between', PLAIN.replaceAll('\n\n', '\n\n\n\n')],
  ])('reads %s, cut anywhere', (_, text) => {
    for (let length = 1; length <= text.length; length++) expect(events(text, length)).toEqual(expected);
  });

  it('gives an error that has a field of its own, as llama.cpp’s had until September 2025, like one in the data', () => {
    const failed =
      'error: {"code":400,"message":"the request exceeds the available context size"}\n\ndata: [DONE]\n\n';
    for (let length = 1; length <= failed.length; length++) {
      expect(events(failed, length)).toEqual(['{"error":{}}', '[DONE]']);
    }
    expect(events('errors: 0\ndata: x\n\n')).toEqual(['x']);
  });

  it('joins the data lines of one event', () => {
    for (const lineEnd of ['\n', '\r\n', '\r']) {
      const text = ['data: {', 'data: "a":1}', '', 'data', '', ''].join(lineEnd);
      for (let length = 1; length <= text.length; length++) {
        expect(events(text, length)).toEqual(['{\n"a":1}', '']);
      }
    }
  });

  it('gives nothing for events without data', () => {
    expect(events('event: ping\n\n: only a comment\n\n')).toEqual([]);
  });

  it('stops when told to', () => {
    const seen: string[] = [];
    const parser = new SseParser((data) => {
      seen.push(data);
      return data !== 'stop';
    }, 100);
    parser.push('data: go\n\ndata: stop\n\ndata: never\n\n');
    expect(seen).toEqual(['go', 'stop']);
  });

  it('refuses an event past the limit, in one line or many', () => {
    const parser = () => new SseParser(() => true, 100);
    expect(() => parser().push(`data: ${'x'.repeat(101)}`)).toThrow(SseTooLargeError);
    const drip = parser();
    expect(() => {
      for (let i = 0; i < 20; i++) drip.push('data: 12345678\n');
    }).toThrow(SseTooLargeError);
    // Comments are not kept.
    const chatty = parser();
    for (let i = 0; i < 1_000; i++) chatty.push(': keep-alive\n\n');
  });

  it('takes time in proportion to an event, however it is cut', () => {
    const timeMs = (chars: number) => {
      let seen = '';
      const parser = new SseParser((data) => {
        seen = data;
        return true;
      }, chars + 100);
      const startedMs = performance.now();
      parser.push('data: ');
      for (let index = 0; index < chars; index++) parser.push('x');
      parser.push('\n\n');
      expect(seen).toHaveLength(chars);
      return performance.now() - startedMs;
    };
    timeMs(50_000);
    // Looked at anew with each character, this would be four million million characters.
    expect(timeMs(2_000_000)).toBeLessThan(30_000);
  });

  it('refuses a line that does not end, and many short lines of one event', () => {
    const endless = new SseParser(() => true, 10_000);
    expect(() => {
      for (let index = 0; index < 20_000; index++) endless.push(':');
    }).toThrow(SseTooLargeError);
    const short = new SseParser(() => true, 10_000);
    expect(() => {
      for (let index = 0; index < 20_000; index++) short.push('data:\n');
    }).toThrow(SseTooLargeError);
  });
});
