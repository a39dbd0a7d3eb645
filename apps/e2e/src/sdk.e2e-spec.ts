import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Marketplace } from './stack/marketplace';

interface Call {
  name: string;
  /** Null when it went as it should. */
  error: string | null;
}

/** The packages are used as anybody uses them: unmodified, in a program of its own. */
describe('the official packages', () => {
  let market: Marketplace;
  let poorKey: string;

  beforeAll(async () => {
    market = await Marketplace.connect();
    ({ apiKey: poorKey } = await market.createKey(`0x${'5d'.repeat(20)}`));
  });
  afterAll(() => market.close());

  function callsOf(program: string): Promise<Call[]> {
    const env = {
      ...process.env,
      SVC_BASE_URL: `${market.ready.gateway}/v1`,
      SVC_API_KEY: market.ready.apiKey,
      SVC_POOR_KEY: poorKey,
    };
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [join(__dirname, 'sdk', program)], { env }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${program} ended with ${String(error.code)}: ${stderr}`));
        else
          resolve(
            stdout
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line) as Call),
          );
      });
    });
  }

  it.each([
    ['openai', 'openai-calls.mjs', 10],
    ['ai, with @ai-sdk/openai-compatible', 'ai-calls.mjs', 9],
    ['@langchain/openai', 'langchain-calls.mjs', 8],
  ])('%s runs its everyday calls', async (_, program, most) => {
    const calls = await callsOf(program);
    expect(calls.filter(({ error }) => error !== null)).toEqual([]);
    expect(calls).toHaveLength(most);
    await market.idle();
  });
});
