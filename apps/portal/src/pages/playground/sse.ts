/**
 * Takes a stream of server-sent events apart as its text comes, cut anywhere (WHATWG HTML, section 9.2.6). Only `data` is kept: nothing
 * else means anything in a completion's stream. Comments are what keeps it alive.
 */
export class EventReader {
  private rest = '';
  private data: string[] = [];
  private endsWithReturn = false;

  /** @returns the data of the events that are whole by now */
  push(text: string): string[] {
    const events: string[] = [];
    for (const line of this.lines(text)) {
      if (line === '') {
        if (this.data.length > 0) events.push(this.data.join('\n'));
        this.data = [];
      } else if (line === 'data') {
        this.data.push('');
      } else if (line.startsWith('data:')) {
        this.data.push(line.slice(line[5] === ' ' ? 6 : 5));
      }
    }
    return events;
  }

  /** A line ends with LF, CR, or both; of CR and LF in two pieces the LF ends nothing more. */
  private lines(text: string): string[] {
    const fresh = this.endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.endsWithReturn = text.endsWith('\r');
    const lines = (this.rest + fresh).split(/\r\n|\r|\n/);
    this.rest = lines.pop() ?? '';
    return lines;
  }
}
