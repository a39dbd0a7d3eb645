import { readCommandLine } from './command-line';
import { readSvcProviderConfig } from './svc-provider.config';
import { jsonTerminal, plain, table, wordTerminal } from './terminal';

describe('the command line', () => {
  it('has defaults', () => {
    expect(readCommandLine(['offer'])).toMatchObject({
      ...{ command: 'offer', names: [], wait: true, exact: false, json: false, days: 30 },
    });
  });

  it('takes options before and after the command', () => {
    expect(readCommandLine(['--json', 'offer', 'one', '--no-wait', '--file=a.yaml', 'two'])).toMatchObject({
      ...{ command: 'offer', names: ['one', 'two'], wait: false, json: true, file: 'a.yaml' },
    });
  });

  it.each([
    [['sell'], /no command sell/],
    [['offer', '--fast'], /--fast/],
    [['status', '--claim'], /--claim belongs to "earnings"/],
    [['register', 'me'], /"register" takes no me/],
    [['earnings', '--days', '0'], /--days must be/],
    [['status', '--file'], /--file/],
    [['init', '--url', 'market.example'], /--url must be an http or https URL/],
    [['status', '--url', 'ftp://market.example'], /--url must be/],
  ])('refuses %j', (args, message) => {
    expect(() => readCommandLine(args)).toThrow(message);
  });

  it('has no way to give a key', () => {
    expect(() => readCommandLine(['register', '--key', '0x00'])).toThrow(/--key/);
  });
});

describe('the environment', () => {
  it('is named and not shown when it does not fit', () => {
    const read = () => readSvcProviderConfig({ SVC_PROVIDER_KEY: '0xsecret' });
    expect(read).toThrow('SVC_PROVIDER_KEY');
    expect(read).not.toThrow('0xsecret');
  });
});

describe('the terminal', () => {
  it('writes words for people and a document for programs', () => {
    const written: string[] = [];
    for (const terminal of [wordTerminal, jsonTerminal].map((make) => make((text) => written.push(text)))) {
      terminal.say('live');
      terminal.result({ state: 'live' });
    }
    expect(written).toEqual(['live\n', '{\n  "state": "live"\n}\n']);
  });

  it('lets nobody steer it', () => {
    expect(plain('a\u001b[2Jb\u202ec\nd')).toBe('a?[2Jb?c\nd');
  });

  it('aligns columns', () => {
    expect(table(['model', 'state'], [['svc/demo@1', 'live']])).toBe('model       state\nsvc/demo@1  live');
  });
});
