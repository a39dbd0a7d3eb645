import { runCommand } from './run-command';
import { HonestMarket } from './testing/honest-market.for-spec';

describe('the command', () => {
  it.each([
    ['--help', 0, /^usage: npm run conformance/],
    ['--bad', 2, /^Unknown option '--bad'\n\nusage: npm run conformance/],
  ])('with %s ends with %i, and says how it is called', async (option, code, words) => {
    const said: string[] = [];
    expect(await runCommand([option], (line) => said.push(line))).toBe(code);
    expect(said).toEqual([expect.stringMatching(words)]);
  });

  describe('cannot be run, and says why', () => {
    const market = new HonestMarket('testnet');
    let url: string;
    beforeAll(async () => void (url = await market.start()));
    afterAll(() => market.stop());

    const run = async (...args: string[]) => {
      const said: string[] = [];
      return [await runCommand(args, (line) => said.push(line)), said.join('\n')];
    };

    it('with a base URL that has no list of models', async () => {
      const elsewhere = url.replace('/v1', '/v2');
      const words = `GET ${elsewhere}/models is answered with 404 and no list of models: --url is the base URL, with its /v1`;
      expect(await run('--url', elsewhere, '--key', market.keys.good)).toEqual([2, words]);
    });

    it.each(['revoked', 'suspended'] as const)('with a key that is %s', async (kind) => {
      const [code, words] = await run('--url', url, '--key', market.keys[kind]);
      expect([code, words]).toEqual([2, expect.stringMatching(/ refuses --key with 40[13]: .*"code":/)]);
      expect(words).not.toContain(market.keys[kind]);
    });

    it('in words that steer no terminal, whatever the service says', async () => {
      market.deviate = (draft, { path }) =>
        path === '/models'
          ? undefined
          : { ...draft, status: 403, body: '\u001b[2J\u009b2J\u202e gone\nand more' };
      const [code, words] = await run('--url', url, '--key', market.keys.good);
      market.deviate = () => undefined;
      expect([code, words]).toEqual([2, expect.stringMatching(/403: \?\[2J\?2J\? gone\nand more$/)]);
    });

    it('with a key that has less money than the cases may spend', async () => {
      const [code, words] = await run('--url', url, '--key', market.keys.poor, '--only', '2.2');
      expect([code, words]).toEqual([
        2,
        expect.stringMatching(
          /^--key may spend 0\.000000 USDC, and the cases spend up to 0\.\d{6}: add USDC/,
        ),
      ]);
    });

    it('unless these spend nothing', async () => {
      expect((await run('--url', url, '--key', market.keys.poor, '--only', '4.2'))[0]).toBe(0);
    });
  });
});
