import { execFileSync } from 'node:child_process';
import { aiSample, chatSamples } from './chat-samples';
import type { ChatBody } from './chat-samples';

const BASE_URL = 'http://127.0.0.1:8080/v1';
const body: ChatBody = {
  model: 'svc/demo@1',
  messages: [{ role: 'user', content: `It's "quoted": $SVC_API_KEY` }],
  stop: ['\n'],
  temperature: 0.5,
};
const sampleOf = (label: string, of: ChatBody = body) =>
  chatSamples(BASE_URL, of).find((sample) => sample.label === label)?.code ?? '';

/** The code with its imports taken away and `client` given. */
async function runNode(code: string): Promise<unknown> {
  let asked: unknown;
  const create = (request: unknown) => {
    asked = request;
    return Promise.resolve({ choices: [{ message: { content: '' } }], *[Symbol.iterator]() {} });
  };
  class OpenAI {
    readonly chat = { completions: { create } };
  }
  const script = code.replace(/^import .*$/m, '');
  const asynchronous = Object.getPrototypeOf(async function () {}) as { constructor: FunctionConstructor };
  const AsyncFunction = asynchronous.constructor;
  const run = new AsyncFunction('OpenAI', 'process', 'console', script) as unknown as (
    ...given: unknown[]
  ) => Promise<void>;
  await run(OpenAI, { env: {}, stdout: { write() {} } }, { log() {} });
  return asked;
}

describe('chatSamples', () => {
  it('asks with curl for exactly the body', () => {
    const code = sampleOf('curl');
    const script = code.replace(/^curl/, 'printf "%s\\n"');
    const words = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { SVC_API_KEY: 'KEY' } });
    expect(words).toContain(`${BASE_URL}/chat/completions\n-H\nauthorization: Bearer KEY\n`);
    expect(JSON.parse(words.split('\n-d\n')[1] ?? '')).toEqual(body);
  });

  it.each([body, { ...body, stream: true }])('asks with Node for exactly the body', async (asked) => {
    expect(await runNode(sampleOf('Node', asked))).toEqual(asked);
  });

  it('is Python', () => {
    const code = sampleOf('Python');
    expect(code).toContain('    model="svc/demo@1",\n');
    expect(code).toContain('api_key=os.environ["SVC_API_KEY"]');
    expect(sampleOf('Python', { ...body, stream: true })).toContain('    stream=True,\n');
  });

  it('reads the key from the environment, in every language', () => {
    for (const { code } of [...chatSamples(BASE_URL, body), aiSample(BASE_URL, 'svc/demo@1', 'Hello!')]) {
      expect(code).toContain('SVC_API_KEY');
      expect(code).toContain(BASE_URL);
    }
  });
});
